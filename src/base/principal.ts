/** Facts about a user, by name: texts, numbers and booleans as text, and lists of them; never null. */
export type Claims = ReadonlyMap<string, string | readonly string[]>;

export interface Principal {
  /** The name of the user or of the API key; null for a request without credentials. */
  readonly name: string | null;
  /** The names of the user's roles, some of which the configuration may not know. */
  readonly roles: readonly string[];
  /** The values for row policies, among them the name as `user`. */
  readonly claims: Claims;
  /** Of a user with a password: a text that is another one for another password. A login ends with its password, in all gateways. */
  readonly passwordVersion?: string;
}

/** The built-in role that may see and do everything. */
export const ADMIN = 'admin';

export const NOBODY: Principal = { name: null, roles: [], claims: new Map() };

/** A user whom an identity provider has signed in. */
export interface Granted {
  readonly login: Principal;
  readonly grant: Grant;
}

/** What an identity provider has granted to a session: for how long its user is signed in. */
export interface Grant {
  readonly issuer: string;
  /** The provider's own name of the user (claim `sub`). */
  readonly subject: string;
  /** The provider's session (claim `sid`), which it may end; null where it does not tell. */
  readonly providerSession: string | null;
  /** What the grant is renewed by, encrypted; null where it cannot be renewed. */
  readonly refreshToken: string | null;
  /** From when on it is to be renewed, and when it ends, in milliseconds since 1970. */
  readonly renewAt: number;
  readonly expiresAt: number;
}
