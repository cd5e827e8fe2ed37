/** Facts about a user, by name: texts, numbers and booleans as text, and lists of them; never null. */
export type Claims = ReadonlyMap<string, string | readonly string[]>;

export interface Principal {
  /** The name of the user or of the API key; null for a request without credentials. */
  readonly name: string | null;
  /** The names of the user's roles, some of which the configuration may not know. */
  readonly roles: readonly string[];
  /** The values for row policies, among them the name as `user`. */
  readonly claims: Claims;
}

export const NOBODY: Principal = { name: null, roles: [], claims: new Map() };
