import { z } from 'zod';

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
  readonly tellUser?: TellUser;
}

/** The setting: false or left out passes nothing, true the user's name under its default key. */
type TellUser = boolean | ContextKeys | undefined;

/** The longest key that a session of SQL Server's keeps a value under, a `sysname`, in characters. */
const LONGEST_SESSION_KEY = 128;

/**
 * Names with a dot are for applications to use, and no setting of the server's own has one: neither `role` nor `search_path` can
 * be meant (https://www.postgresql.org/docs/current/runtime-config-custom.html).
 */
const customParameter = z
  .string()
  .regex(
    /^[a-z_][\w$]*(?:\.[a-z_][\w$]*)+$/i,
    'is not a name of a custom parameter: expected names with a dot between them, such as app.user',
  );

/** https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-set-session-context-transact-sql */
const sessionKey = z.string().min(1).max(LONGEST_SESSION_KEY);

/** The default key of the user's name. */
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
    .superRefine((given, context) => {
      for (const path of repeatedKeys(given)) {
        context.addIssue({
          code: 'custom',
          path: [...path],
          message: 'is the key of something else, too: give each its own',
        });
      }
    });
  return z
    .union([z.boolean(), keys])
    .optional()
    .describe(
      'Passes the user to the database, for row-level security, triggers and audit tables. true passes the name of the user ' +
        `under ${user}; { user, roles, claims } says what is passed, and under which keys.`,
    );
}

/** The setting `database.tellUser` of PostgreSQL. */
export const tellPostgres = tellUserSchema(customParameter, DEFAULT_KEY.postgres);

/** The setting `database.tellUser` of SQL Server. */
export const tellSqlServer = tellUserSchema(sessionKey, DEFAULT_KEY.sqlserver);

/** The keys that the setting of a database names; null if it passes nothing. */
export function contextKeys({ engine, tellUser }: DatabaseWithContext): ContextKeys | null {
  if (tellUser === true) {
    return { user: DEFAULT_KEY[engine === 'sqlserver' ? engine : 'postgres'], claims: {} };
  }
  return tellUser === undefined || tellUser === false ? null : tellUser;
}

/** Where keys stand that another one before them is: engines do not tell upper from lower case in them, or not everywhere. */
function repeatedKeys({ user, roles, claims }: ContextKeys): readonly (readonly string[])[] {
  const places: readonly (readonly [key: string, path: readonly string[]])[] = [
    [user, ['user']],
    ...(roles === undefined ? [] : [[roles, ['roles']] as const]),
    ...Object.entries(claims).map(([claim, key]) => [key, ['claims', claim]] as const),
  ];
  const seen = new Set<string>();
  return places.flatMap(([key, path]) => {
    const isRepeated = seen.has(key.toLowerCase());
    seen.add(key.toLowerCase());
    return isRepeated ? [path] : [];
  });
}
