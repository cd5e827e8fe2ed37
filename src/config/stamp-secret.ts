import type { Config } from './config.ts';
import { redacted } from './secrets.ts';

/**
 * What the key of stamps that are hashes is made of (DECISIONS, "Answers"): the setting, or else the credentials that the database
 * is logged in to with, so that instances with one configuration make the same stamps. Null where no secret is among them.
 */
export function stampSecretOf({
  stampSecret,
  database,
}: Pick<Config, 'stampSecret' | 'database'>): string | null {
  if (stampSecret !== undefined) return stampSecret;
  if (database.engine === 'pglite') return null;
  const { url = '' } = database;
  const secrets = [
    ...(redacted(url) === url ? [] : [url]),
    ...(database.engine === 'postgres'
      ? []
      : [database.password ?? '', database.authentication?.clientSecret ?? '']),
  ].filter((secret) => secret !== '');
  return secrets.length === 0 ? null : JSON.stringify(secrets);
}
