import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { PgliteConfig } from '../../config/config.ts';
import { displayPath, readBytes, unreadable } from '../../config/document/text-file.ts';
import { StartupError } from '../../base/errors.ts';
import { gatewayContext } from '../../base/observe/observer.ts';
import type { DialectSettings } from '../../sql/dialect.ts';
import type { Database } from '../database.ts';
import { BATCH_ROWS, type Driver } from '../driver.ts';
import { pooledDatabase } from '../pooled.ts';
import { postgresErrors } from '../postgres/errors.ts';
import { CONTEXT_LIMITS, dialectFor, introspect, versionCommand } from '../postgres/session.ts';
import { checkSessionContext, contextFor } from '../session-context.ts';
import { pgliteLimits, PglitePool } from './pool.ts';
import { Engine } from './engine.ts';
import { type Fill, openFolder, POSTGRES_DISK_FULL } from './folder.ts';

type OnFill = (message: string) => void;

/** How much longer than a statement a request waits for the connection, in milliseconds: the folder may have to be opened again. */
const REOPENING = 10_000;

/**
 * Opens the embedded database: a thread of this process, one connection, files in a folder or in memory.
 * @param onFill is called before and after a new database is filled, with a message
 * @throws StartupError also for its script
 */
export async function openPglite(
  config: PgliteConfig,
  settings: DialectSettings,
  onFill: OnFill = () => undefined,
): Promise<Database> {
  const { directory, seed } = config;
  const isInMemory = directory === 'memory:';
  const { db, lock } = isInMemory
    ? { db: await startFilled(seed, onFill), lock: null }
    : await openFolder(directory, () => fillingBy(seed, onFill));
  try {
    const database = await connect(db, isInMemory ? null : directory, config, settings);
    const close = async (): Promise<void> => {
      await database.close();
      lock?.release();
    };
    return { ...database, close };
  } catch (error) {
    await db.close();
    lock?.release();
    throw error;
  }
}

async function startFilled(seed: string | undefined, onFill: OnFill): Promise<Engine> {
  const fill = await fillingBy(seed, onFill);
  const db = await Engine.start(null);
  try {
    await fill(db);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function connect(
  db: Engine,
  folder: string | null,
  config: PgliteConfig,
  settings: DialectSettings,
): Promise<Database> {
  const milliseconds = config.statementTimeoutSeconds * 1000;
  const pool = await PglitePool.of(db, folder, milliseconds + REOPENING);
  const driver: Driver = {
    reading: pool,
    writing: pool,
    errors: postgresErrors,
    limits: pgliteLimits(milliseconds, folder !== null),
    textEncoding: 'utf8',
    sessionContext: contextFor(config, CONTEXT_LIMITS),
    introspect,
    close: () => pool.close(),
  };
  const database = pooledDatabase(driver);
  await checkSessionContext(database, driver);
  const { rows } = await database.run(versionCommand, gatewayContext);
  const [number, , version] = rows[0] as [string, string, string];
  const { run, call } = database;
  // A cursor would block all others, and its own reader's other statements.
  const stream: Database['stream'] = async function* (command, options) {
    const { rows } = await run(command, options);
    const { batchRows = BATCH_ROWS } = options;
    for (let at = 0; at < rows.length; at += batchRows) yield rows.slice(at, at + batchRows);
  };
  return {
    // Its decoder is a TextDecoder (https://encoding.spec.whatwg.org/#dom-textdecoder-ignorebom).
    dialect: { ...dialectFor(number, settings, { dropsByteOrderMark: true }), locks: null },
    version,
    ...database,
    stream,
    // While it works within its time limit it is there; a statement would have to wait.
    ping: (signal) =>
      folder !== null && pool.isWorking ? Promise.resolve() : database.ping(signal),
    dedicated: () => Promise.resolve({ run, call, close: () => Promise.resolve() }),
  };
}

/** Reads the script that fills a new database, and returns a function that runs it. Both throw a StartupError, the latter with a mistake's line. */
async function fillingBy(seed: string | undefined, onFill: OnFill): Promise<Fill> {
  if (seed === undefined) return () => Promise.resolve();
  let script: string;
  try {
    const bytes = await readBytes(seed, Infinity);
    script = (seed.endsWith('.gz') ? await promisify(gunzip)(bytes) : bytes).toString('utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isBroken = code?.startsWith('Z_') ?? false;
    const reason = isBroken ? `is not a gzip file: ${message}` : unreadable(error, 'file');
    throw StartupError.at('database.seed', `${displayPath(seed)}: ${reason}`);
  }
  const started = performance.now();
  onFill(`Filling the new database with ${displayPath(seed)} …`);
  return async (db) => {
    await runScript(db, script, seed);
    onFill(`The database is filled, after ${((performance.now() - started) / 1000).toFixed(1)} s`);
  };
}

async function runScript(db: Engine, script: string, path: string): Promise<void> {
  try {
    await db.exec(script);
  } catch (error) {
    const { code, position, message } = error as Error & { code?: unknown; position?: unknown };
    // A full disk is not the fault of the script.
    if (code === POSTGRES_DISK_FULL) throw error;
    const line = script.slice(0, Number(position ?? 0)).split('\n').length;
    const where = position === undefined ? '' : `:${line}`;
    throw StartupError.at('database.seed', `${displayPath(path)}${where}: ${message}`);
  }
}
