import type { DatabaseSettings } from '../settings/database.ts';
import { fieldsOf, isConnectionString } from '../settings/connection-string.ts';

/** A login and the name of a database; empty where not given. */
interface Credentials {
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/**
 * Returns the secret behind the keys of hash stamps and entity set ids (DECISIONS, "Answers"): the setting, or else the credentials of the database,
 * however they are written, so that instances of one API make the same stamps and know each other's ids. Null without a secret.
 */
export function stampSecretOf({
  stampSecret,
  database,
}: {
  readonly stampSecret?: string | undefined;
  readonly database: DatabaseSettings;
}): string | null {
  if (stampSecret !== undefined) return stampSecret;
  if (database.engine === 'pglite') return null;
  const { user, password, database: name } = credentialsOf(database);
  return password === '' ? null : JSON.stringify([user, password, name]);
}

function credentialsOf(config: Exclude<DatabaseSettings, { engine: 'pglite' }>): Credentials {
  const { url } = config;
  const inUrl = url === undefined ? NONE : isConnectionString(url) ? ofFields(url) : ofUrl(url);
  if (config.engine === 'postgres') return inUrl;
  const { authentication, user, password, database } = config;
  return {
    // SQL Server ignores the case of names, unless it was set up otherwise.
    user: (authentication?.clientId ?? user ?? inUrl.user).toLowerCase(),
    password: authentication?.clientSecret ?? password ?? inUrl.password,
    database: (database ?? inUrl.database).toLowerCase(),
  };
}

const NONE: Credentials = { user: '', password: '', database: '' };

/** Reads a URL; the driver refuses malformed ones at the start. */
function ofUrl(text: string): Credentials {
  if (!URL.canParse(text)) return NONE;
  const { username, password, pathname, searchParams } = new URL(text);
  return {
    user: searchParams.get('user') ?? decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
  };
}

function ofFields(text: string): Credentials {
  const fields = fieldsOf(text);
  const first = (...names: readonly string[]): string =>
    names.map((name) => fields.get(name)).find((value) => value !== undefined) ?? '';
  return {
    user: first('client id', 'user id', 'uid', 'user'),
    password: first('client secret', 'password', 'pwd'),
    database: first('database', 'initial catalog'),
  };
}
