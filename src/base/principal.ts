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

/** A claim that is one text; null for any other. */
export function textClaim(claims: Claims, name: string): string | null {
  const value = claims.get(name);
  return typeof value === 'string' ? value : null;
}

/** A user whom an identity provider has signed in. */
export interface Granted {
  readonly login: Principal;
  readonly grant: Grant;
}

/** For how long an identity provider has signed a user in, and by what that is prolonged. */
export interface Grant {
  readonly issuer: string;
  /** What the grant is renewed by, encrypted; null where it cannot be renewed. */
  readonly refreshToken: string | null;
  /** From when on it is to be renewed, and when it ends, in milliseconds since 1970. */
  readonly renewAt: number;
  readonly expiresAt: number;
}
