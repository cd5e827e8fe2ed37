import { z } from 'zod';
import { matching, repeated, reporting, type SettingProblem } from './fields.ts';

/** The keys under which the user is passed to the database. */
export interface ContextKeys {
  readonly user: string;
  readonly roles?: string | undefined;
  /** By the names of claims. */
  readonly claims: Readonly<Record<string, string>>;
}

/** The part of the database's settings that passes the user. */
export interface DatabaseWithContext {
  readonly engine: 'pglite' | 'postgres' | 'sqlserver';
  /** false or left out passes nothing, true the user's name under its default key. */
  readonly tellUser?: boolean | ContextKeys | undefined;
}

/**
 * A name with a dot. Settings of the server's own have none, so that neither `role` nor `search_path` can be meant
 * (https://www.postgresql.org/docs/current/runtime-config-custom.html).
 */
const customParameter = matching(
  /^[a-z_][\w$]*(?:\.[a-z_][\w$]*)+$/i,
  'is not a name of a custom parameter: expected names with a dot between them, such as app.user',
);

/** A `sysname` (https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-set-session-context-transact-sql). */
const sessionKey = z.string().min(1).max(128);

const DEFAULT_KEY = { postgres: 'entitygate.user', sqlserver: 'user' } as const;

function tellUserSchema(key: z.ZodString, user: string) {
  const keys = z
    .strictObject({
      user: key.default(user).describe('Tells the name of the user, or of the API key.'),
      roles: key.optional().describe('Tells the names of the roles, as a JSON array.'),
      claims: z
        .record(z.string(), key)
        .default({})
        .describe('Keys by the names of claims: each passes its text, or a list as a JSON array.'),
    })
    .superRefine(reporting(repeatedKeys));
  return z
    .union([z.boolean(), keys])
    .optional()
    .describe(
      `Passes the user to the database: true the name under ${user}; { user, roles, claims } what is passed, and under which keys.`,
    );
}

export const tellPostgres = tellUserSchema(customParameter, DEFAULT_KEY.postgres);

export const tellSqlServer = tellUserSchema(sessionKey, DEFAULT_KEY.sqlserver);

/** Returns the keys that the setting of a database names; null if it passes nothing. */
export function contextKeys({ engine, tellUser }: DatabaseWithContext): ContextKeys | null {
  if (tellUser === true) {
    return { user: DEFAULT_KEY[engine === 'sqlserver' ? engine : 'postgres'], claims: {} };
  }
  return tellUser === undefined || tellUser === false ? null : tellUser;
}

/** Reports keys that occur twice. Upper and lower case count as one: engines do not always distinguish them. */
function* repeatedKeys({ user, roles, claims }: ContextKeys): Generator<SettingProblem> {
  const keys: [path: string[], key: string][] = [
    [['user'], user],
    ...(roles === undefined ? [] : [[['roles'], roles] as [string[], string]]),
    ...Object.entries(claims).map(([claim, key]): [string[], string] => [['claims', claim], key]),
  ];
  for (const index of repeated(keys.map(([, key]) => key))) {
    const message = 'is the key of something else, too: give each its own';
    yield { path: keys[index]?.[0] ?? [], message };
  }
}
