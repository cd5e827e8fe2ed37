import { StartupError } from '../base/errors.ts';
import { configSchema } from './config.ts';

/** The engine and the place of a database: what an environment variable or the command line says of it. */
export type DatabaseSetting =
  | { readonly engine: 'pglite'; readonly directory: string }
  | { readonly engine: 'postgres' | 'sqlserver'; readonly url: string };

/** A database from outside the file, under the name by which the user gave it. */
export interface DatabaseOverride {
  readonly name: string;
  readonly database: DatabaseSetting;
}

/** The settings that say where the database is and who logs in: a URL from outside stands for all of them. */
const CONNECTION: readonly string[] = [
  'directory',
  'seed',
  'url',
  'host',
  'port',
  'instance',
  'database',
  'user',
  'password',
  'encrypt',
  'trustServerCertificate',
  'hostNameInCertificate',
  'readOnlyIntent',
  'authentication',
];

/** The engine that a URL or a connection string is for, or null where it does not say. */
export function engineOf(url: string): 'postgres' | 'sqlserver' | null {
  if (/^postgres(?:ql)?:/i.test(url)) return 'postgres';
  return /^(?:mssql|sqlserver):|^[\w ]+=/i.test(url) ? 'sqlserver' : null;
}

/**
 * Refuses a setting that is none, under the name by which it was given. No message repeats it: it may hold a password.
 * @throws StartupError
 */
export function checkOverride({ name, database }: DatabaseOverride): void {
  const checked = configSchema.safeParse({ database });
  if (checked.success) return;
  const message = checked.error.issues[0]?.message ?? 'is not valid';
  throw new StartupError([{ where: name, message }]);
}

/** A file's value without its connection; pool and time-outs stay where they are for the same engine. */
export function withoutConnection(value: unknown, engine: DatabaseSetting['engine']): unknown {
  const file = recordOf(value);
  const database = recordOf(file?.['database']);
  if (file === null || database === null) return value;
  const others = Object.entries(database).filter(([key]) => !CONNECTION.includes(key));
  return {
    ...file,
    database: (database['engine'] ?? 'pglite') === engine ? Object.fromEntries(others) : {},
  };
}

/** A file's value with another connection in the place of the one that was taken out. */
export function withConnection(value: unknown, setting: DatabaseSetting): unknown {
  const file = recordOf(value ?? {});
  return file === null
    ? value
    : { ...file, database: { ...recordOf(file['database']), ...setting } };
}

/** The engine that a file's value names. */
export function namedEngine(value: unknown): unknown {
  return recordOf(recordOf(value)?.['database'])?.['engine'];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
