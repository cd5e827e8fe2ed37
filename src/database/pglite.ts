import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import type { PgliteConfig } from '../config/config.ts';
import { displayPath } from '../config/display-path.ts';
import { unreadable } from '../config/yaml.ts';
import { StartupError, type ProtocolError } from '../base/errors.ts';
import type { DialectSettings } from '../sql/dialect.ts';
import type { Database, Row, Session } from './database.ts';
import { databaseError, databaseErrors } from './errors.ts';
import { openFolder, POSTGRES_DISK_FULL } from './pglite-folder.ts';
import { postgresChangeError, postgresError } from './postgres-errors.ts';
import { dialectFor, sessionQueries, sessionSettings, versionQuery } from './postgres-session.ts';
import { runWork } from './work.ts';

const BOOLEAN_OID = 16;
const BYTEA_OID = 17;

/**
 * Opens the embedded database: PostgreSQL in this process, one session, its files in a folder or in memory.
 * @throws StartupError when the folder cannot be made, is in use, or the seed script fails
 */
export async function openPglite(
  { directory, seed }: PgliteConfig,
  settings: DialectSettings,
): Promise<Database> {
  const fill = async (db: PGlite): Promise<void> => {
    if (seed !== undefined) await runScript(db, seed);
  };
  if (directory === 'memory:') {
    const db = await PGlite.create();
    await fill(db);
    return connect(db, settings, () => undefined);
  }
  const { db, lock } = await openFolder(directory, (dataDir) => PGlite.create({ dataDir }), fill);
  return connect(db, settings, lock.release);
}

async function connect(
  db: PGlite,
  settings: DialectSettings,
  release: () => void,
): Promise<Database> {
  for (const [name, value] of Object.entries(sessionSettings)) {
    await db.query('SELECT set_config($1, $2, false)', [name, value]);
  }
  const identity = (value: string): string => value;
  const options = {
    rowMode: 'array',
    parsers: Object.fromEntries(Object.keys(db.parsers).map((oid) => [oid, identity])),
    serializers: { [BOOLEAN_OID]: String, [BYTEA_OID]: hex },
  } as const;
  let closed = false;
  const sessionOn = (on: Pick<PGlite, 'query'>): Session => {
    const run =
      (failed: (error: unknown) => ProtocolError): Session['query'] =>
      async (text, values): Promise<readonly Row[]> => {
        try {
          const result = await on.query<unknown[]>(
            text,
            values.map(({ value }) => value),
            options,
          );
          return result.rows;
        } catch (error) {
          throw failed(error);
        }
      };
    return {
      query: run(postgresError),
      change: run((error) => postgresChangeError(error, 'unknown')),
    };
  };
  const primary = sessionOn(db);
  const { query } = primary;
  const [found] = await query(versionQuery, []);
  const [number, , version] = found as [string, string, string];
  return {
    dialect: dialectFor(number, settings),
    version,
    ...sessionQueries(query),
    primary,
    transaction: (work) => transaction(db, sessionOn, work),
    close: async () => {
      if (closed) return;
      closed = true;
      await db.close();
      release();
    },
  };
}

/** https://www.postgresql.org/docs/current/datatype-binary.html#DATATYPE-BINARY-BYTEA-HEX-FORMAT */
function hex(value: unknown): string {
  return value instanceof Uint8Array
    ? `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
    : String(value);
}

/** The driver keeps everyone else waiting while a transaction runs: https://pglite.dev/docs/api#transaction */
async function transaction<Result>(
  db: PGlite,
  sessionOn: (on: Pick<PGlite, 'query'>) => Session,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const state: { begun: boolean; thrown: { readonly error: unknown } | null } = {
    begun: false,
    thrown: null,
  };
  try {
    return await db.transaction(async (transaction) => {
      state.begun = true;
      try {
        return await runWork(sessionOn(transaction), work);
      } catch (error) {
        state.thrown = { error };
        throw error;
      }
    });
  } catch (error) {
    // What went wrong first is what matters, even when there was no rolling back.
    if (state.thrown !== null) throw state.thrown.error;
    if (!state.begun) throw databaseError(databaseErrors.away, error);
    throw postgresChangeError(error, 'unknown');
  }
}

/**
 * Runs the script that fills a new database.
 * @throws StartupError with what is wrong with the script, and in which line
 */
async function runScript(db: PGlite, path: string): Promise<void> {
  const problem = (where: string, message: string): StartupError =>
    new StartupError([
      { where: 'database.seed', message: `${displayPath(path)}${where}: ${message}` },
    ]);
  let script: string;
  try {
    const bytes = await readFile(path);
    script = (path.endsWith('.gz') ? await promisify(gunzip)(bytes) : bytes).toString('utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isBroken = code?.startsWith('Z_') ?? false;
    throw problem(
      '',
      isBroken ? `is no gzip file: ${message}` : unreadable(error as NodeJS.ErrnoException, 'file'),
    );
  }
  try {
    await db.exec(script);
  } catch (error) {
    const { code, position, message } = error as {
      code?: unknown;
      position?: unknown;
      message: string;
    };
    // A full disk is no fault of the script.
    if (code === POSTGRES_DISK_FULL) throw error;
    const line = script.slice(0, Number(position ?? 0)).split('\n').length;
    throw problem(position === undefined ? '' : `:${line}`, message);
  }
}
