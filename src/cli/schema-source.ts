import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { atSetting, openDatabase } from '../app.ts';
import type { Config } from '../config/config.ts';
import { readSnapshotText, type SchemaSnapshot } from '../schema/snapshot.ts';
import { type CommandIo, Progress } from './io.ts';
import { StartupError } from '../base/errors.ts';
import { displayPath, readText, unreadable } from '../config/document/text-file.ts';

/** How long a snapshot may be, in bytes: that of 2,000 tables with 100 columns each is an eighth of it. */
const MOST_BYTES = 256 * 1_048_576;

/**
 * Reads a snapshot of a schema from a file.
 * @throws StartupError when it cannot be read or is none
 */
export async function readSnapshotFile(path: string): Promise<SchemaSnapshot> {
  let text: string;
  try {
    text = await readText(path, MOST_BYTES);
  } catch (error) {
    throw new StartupError([{ where: displayPath(path), message: unreadable(error, 'file') }]);
  }
  return readSnapshotText(text, displayPath(path));
}

/** The snapshot that `init` leaves in a folder, or null where there is none. */
export async function snapshotIn(folder: string): Promise<SchemaSnapshot | null> {
  const path = join(folder, 'schema.json');
  return existsSync(path) ? readSnapshotFile(path) : null;
}

/** The snapshot beside a configuration file, or null where there is none. */
export function snapshotBeside(config: string): Promise<SchemaSnapshot | null> {
  return snapshotIn(dirname(config));
}

/** A schema as it is now. */
interface LiveSchema extends SchemaSnapshot {
  /** What of the database's settings would serve everybody better otherwise. */
  readonly advice: readonly string[];
}

/**
 * Reads the schema of the database that the configuration names.
 * @throws StartupError when it cannot be opened or read
 */
export async function readLiveSchema(config: Config, io: CommandIo): Promise<LiveSchema> {
  const progress = new Progress(io);
  return atSetting(config, async () => {
    const database = await progress.during('Opening the database', () =>
      openDatabase(impatient(config)),
    );
    try {
      const schema = await progress.during('Reading the schema', () => database.introspect());
      const { dialect, version, advice } = database;
      return { dialect: dialect.name, version, schema, advice };
    } finally {
      await database.close();
    }
  });
}

/** A gateway waits for its database to start; who runs a command is told at once that it does not answer. */
function impatient(config: Config): Config {
  const { database } = config;
  return database.engine === 'pglite'
    ? config
    : { ...config, database: { ...database, startupWaitSeconds: 0 } };
}
