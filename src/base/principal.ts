/** What is known of who asks, by name: texts, numbers and booleans as their text, lists of such; what is null is not there. */
export type Claims = ReadonlyMap<string, string | readonly string[]>;

/** Who asks, as far as the gateway is concerned. */
export interface Principal {
  /** The user's name, or that of the API key; null for whoever gave no credentials. */
  readonly name: string | null;
  /** The names of the roles that were given to it, some of which the configuration may not know. */
  readonly roles: readonly string[];
  /** What row policies compare with, the name as `user` among it. */
  readonly claims: Claims;
}

/** Whoever is not asked for a name. */
export const NOBODY: Principal = { name: null, roles: [], claims: new Map() };
