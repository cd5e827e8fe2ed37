import { StartupError } from '../base/errors.ts';
import { configSchema } from './config.ts';

/** The engine and the address of a database, as an environment variable or the command line gives it. */
export type DatabaseSetting =
  | { readonly engine: 'pglite'; readonly directory: string }
  | { readonly engine: 'postgres' | 'sqlserver'; readonly url: string };

/** A database from outside the file, and the option or variable that named it. */
export interface DatabaseOverride {
  readonly name: string;
  readonly database: DatabaseSetting;
}

/** The settings that a URL from outside replaces: where the database is and who logs in. */
const CONNECTION: readonly string[] = (
  'directory seed url host port instance database user password encrypt ' +
  'trustServerCertificate hostNameInCertificate readOnlyIntent authentication'
).split(' ');

/** Returns the engine of a URL or a connection string, or null where it does not say. */
export function engineOf(url: string): 'postgres' | 'sqlserver' | null {
  if (/^postgres(?:ql)?:/i.test(url)) return 'postgres';
  return /^(?:mssql|sqlserver):|^[\w ]+=/i.test(url) ? 'sqlserver' : null;
}

/**
 * Checks a database from outside. No message repeats it: it may hold a password.
 * @throws StartupError under the name by which it was given
 */
export function checkOverride({ name, database }: DatabaseOverride): void {
  const checked = configSchema.safeParse({ database });
  if (checked.success) return;
  const message = checked.error.issues[0]?.message ?? 'is not valid';
  throw new StartupError([{ where: name, message }]);
}

/** Removes the connection from a file's value; for the same engine, pool and time-outs stay. */
export function withoutConnection(value: unknown, engine: DatabaseSetting['engine']): unknown {
  const file = recordOf(value);
  const database = recordOf(file?.['database']);
  if (file === null || database === null) return value;
  const others = Object.entries(database).filter(([key]) => !CONNECTION.includes(key));
  const isSame = (database['engine'] ?? 'pglite') === engine;
  return { ...file, database: isSame ? Object.fromEntries(others) : {} };
}

/** Adds a connection to a file's value. */
export function withConnection(value: unknown, setting: DatabaseSetting): unknown {
  const file = recordOf(value ?? {});
  if (file === null) return value;
  return { ...file, database: { ...recordOf(file['database']), ...setting } };
}

/** Returns the engine that a file's value names. */
export function namedEngine(value: unknown): unknown {
  return recordOf(recordOf(value)?.['database'])?.['engine'];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
