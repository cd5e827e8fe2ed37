import { postgresRoutineQuery, readPostgresRoutines } from '../../schema/postgres/routines.ts';
import { postgresSchemaQuery, readPostgresSchema } from '../../schema/postgres/introspect.ts';
import { postgresDefaultFold } from '../../schema/postgres/types.ts';
import { neededRefused, refusalOf, unknownNote } from '../../schema/refused-statement.ts';
import type { Dialect, DialectSettings } from '../../sql/dialect.ts';
import { plainStatement, type Statement } from '../../sql/ir/statement.ts';
import { postgresDialect } from '../../sql/postgres/dialect.ts';
import type { PostgresFeatures } from '../../sql/postgres/printer.ts';
import type { Command } from '../database.ts';
import type { Driver } from '../driver.ts';
import type { ContextLimits, SessionContext } from '../session-context.ts';
import type { Query } from './statement-query.ts';

/** Fixes how PostgreSQL writes values as text (https://www.postgresql.org/docs/current/runtime-config-client.html). */
const sessionSettings = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'iso_8601',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
} as const;

/** The first statement of a session. Settings that are sent while connecting would be overridden by those of the role and the URL. */
export function sessionStatement(more: Readonly<Record<string, string>> = {}): Statement {
  const calls = Object.entries({ ...sessionSettings, ...more }).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  );
  return plainStatement(`SELECT ${calls.join(', ')}`);
}

/** Reads the version number, the release, the version string, and {@link PostgresFeatures.foldCollation}. */
export const versionCommand: Command = {
  statement: plainStatement(
    `SELECT current_setting('server_version_num'), current_setting('server_version'), version(), ${postgresDefaultFold}`,
  ),
  values: [],
};

/** The oldest major version whose catalogs and functions the gateway relies on. */
export const OLDEST_VERSION = 14;

/** The dialect for a version number (`150018`). @param driver properties of the driver that change the printed text */
export function dialectFor(
  versionNumber: string,
  settings: DialectSettings,
  driver: Omit<PostgresFeatures, 'version'> = {},
): Dialect {
  const version = Math.floor(Number(versionNumber) / 10_000);
  return postgresDialect(settings, { ...driver, version });
}

/** Reads the schema from PostgreSQL's catalogs; the tables can be served without its routines. */
export const introspect: Driver['introspect'] = async (read) => {
  const [tables] = await read(postgresSchemaQuery).catch((error: unknown) => {
    throw neededRefused(postgresSchemaQuery, refusalOf(error));
  });
  const schema = readPostgresSchema(tables?.[0] as string);
  try {
    const [routines] = await read(postgresRoutineQuery);
    return { ...schema, routines: readPostgresRoutines(routines?.[0] as string) };
  } catch (error) {
    const note = unknownNote('which procedures and functions there are', [], refusalOf(error));
    return { ...schema, notes: [note] };
  }
};

export const CONTEXT_LIMITS: ContextLimits = { longest: Infinity, zeros: false };

/** Sets the parameters of a context; an unknown value is empty (https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-SET). */
export function setContextQuery(context: SessionContext, until: 'transaction' | 'session'): Query {
  const isLocal = until === 'transaction';
  const calls = Array.from(
    context,
    (_, at) => `set_config($${2 * at + 1}, $${2 * at + 2}, ${isLocal})`,
  );
  return {
    text: `SELECT ${calls.join(', ')}`,
    values: [...context].flatMap(([key, text]) => [key, text ?? '']),
  };
}
