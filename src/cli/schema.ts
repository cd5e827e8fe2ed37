import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openDatabase } from '../app.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { atSetting } from '../generation.ts';
import { loadConfig } from '../config/load.ts';
import { loadMappings, type MappingFolder } from '../config/mapping.ts';
import { readSnapshotText, type SchemaSnapshot, snapshotText } from '../schema/snapshot.ts';
import { configPath, defineCommand, UsageError } from './command.ts';
import { type CommandIo, withProgress } from './io.ts';
import { sampleOf } from './sample.ts';
import { StartupError } from '../base/errors.ts';
import { displayPath, readText, unreadable } from '../config/document/text-file.ts';

const usage = `Usage: entitygate schema [options] > schema.json

Prints the schema of the database as JSON, in a fixed order. Other commands can read it instead of the
database, and you can compare two schemas.

Options:
  --config FILE   the configuration file (default: config.yaml; also ENTITYGATE_CONFIG)
  --help          show this text
`;

export const schemaCommand = defineCommand({
  name: 'schema',
  usage,
  options: { config: { type: 'string' } },
  run: async ({ values }, io) => {
    const config = await loadConfig(configPath(values.config, io.environment), io.environment);
    const found = await readLiveSchema(config, io);
    io.out(snapshotText(found));
    for (const note of found.schema.notes ?? []) io.error(`warning: ${note}\n`);
    return 0;
  },
});

/** The longest snapshot, in bytes: eight times that of 2,000 tables with 100 columns each. */
const MOST_BYTES = 256 * 1_048_576;

/** Reads a snapshot of a schema from a file. @throws StartupError when it cannot be read or is not one */
export async function readSnapshotFile(path: string): Promise<SchemaSnapshot> {
  let text: string;
  try {
    text = await readText(path, MOST_BYTES);
  } catch (error) {
    throw StartupError.at(displayPath(path), unreadable(error, 'file'));
  }
  return readSnapshotText(text, displayPath(path));
}

/** The options of {@link readModelSources}. */
export const modelOptions = {
  config: { type: 'string' },
  'schema-file': { type: 'string' },
  live: { type: 'boolean' },
} as const;

/** The lines of the usage about {@link modelOptions}. */
export const modelUsage = `
  --config FILE       the configuration file (default: config.yaml; also ENTITYGATE_CONFIG).
                      Where none is named and there is no config.yaml, the sample is used
  --schema-file FILE  a file written by "entitygate schema", used instead of the database
                      (default: schema.json beside the configuration, if there is one)
  --live              read the schema from the database`;

/**
 * Reads the configuration or that of the sample, its mapping files and the schema: from a file, which may stand beside the configuration, or else from the
 * database. With a file, neither the database nor its password is needed. @throws UsageError, StartupError
 */
export async function readModelSources(
  options: {
    readonly config?: string | undefined;
    readonly 'schema-file'?: string | undefined;
    readonly live?: boolean | undefined;
  },
  io: CommandIo,
): Promise<{
  readonly config: Config;
  readonly mappings: MappingFolder;
  readonly snapshot: SchemaSnapshot;
  /** The file with the schema; null where the database was read. */
  readonly file: string | null;
}> {
  const { live = false, 'schema-file': given } = options;
  if (live && given !== undefined)
    throw new UsageError('--live and --schema-file exclude each other');
  const sample = given === undefined ? sampleOf(options.config, io.environment) : null;
  const path = sample?.config ?? configPath(options.config, io.environment);
  const beside = snapshotPath(dirname(path));
  const file = given ?? (!live && existsSync(beside) ? beside : null);
  const config = await loadConfig(path, io.environment, {
    database: sample?.database,
    offline: file !== null,
  });
  const mappings = await loadMappings(config.mappings, config.locate('mappings'));
  if (sample !== null) {
    io.error('There is no config.yaml in this folder, so this is the sample.\n');
  }
  if (file === beside) {
    io.error(
      `Reading the schema from ${displayPath(beside)}; --live reads it from the database.\n`,
    );
  }
  const snapshot = await (file === null ? readLiveSchema(config, io) : readSnapshotFile(file));
  return { config, mappings, snapshot, file };
}

/**
 * Builds a model on a schema. @param file that holds the schema, which may be older than the database; null for the database itself
 * @throws StartupError which then says so
 */
export async function onSchemaOf<Built>(
  file: string | null,
  build: (schemaFile: string | undefined) => Built,
): Promise<Built> {
  try {
    return build(file === null ? undefined : displayPath(file));
  } catch (error) {
    if (file === null || !(error instanceof StartupError)) throw error;
    const { mtime } = await stat(file);
    const message = `holds the schema of ${mtime.toISOString().slice(0, 10)}, and the database may have changed since. --live reads the database; "entitygate schema > ${displayPath(file)}" writes the file anew`;
    const aged = { where: displayPath(file), message };
    throw new StartupError([...error.problems, aged], error.more);
  }
}

function snapshotPath(folder: string): string {
  return join(folder, 'schema.json');
}

/** Reads the snapshot that `init` leaves in a folder; null where there is none. */
export async function snapshotIn(folder: string): Promise<SchemaSnapshot | null> {
  const path = snapshotPath(folder);
  return existsSync(path) ? readSnapshotFile(path) : null;
}

/** The schema of a database, as it is now. */
export interface LiveSchema extends SchemaSnapshot {
  /** Proposals for the settings of the database. */
  readonly advice: readonly string[];
}

/** Reads the schema of the configured database, without waiting for a server to start. @throws StartupError when it cannot be opened or read */
export async function readLiveSchema(config: Config, io: CommandIo): Promise<LiveSchema> {
  return atSetting(config, async () => {
    const database = await openAtOnce(config, io);
    try {
      return await schemaOf(database, io);
    } finally {
      await database.close();
    }
  });
}

/** Opens the configured database, without waiting for a server to start. */
export function openAtOnce(config: Config, io: CommandIo): Promise<Database> {
  const { database: settings } = config;
  const impatient: Config =
    settings.engine === 'pglite'
      ? config
      : { ...config, database: { ...settings, startupWaitSeconds: 0 } };
  return withProgress(io, 'Opening the database', () => openDatabase(impatient));
}

/** Reads the schema of an open database. */
export async function schemaOf(database: Database, io: CommandIo): Promise<LiveSchema> {
  const schema = await withProgress(io, 'Reading the schema', () => database.introspect());
  const { dialect, version, advice } = database;
  return { dialect: dialect.name, version, schema, advice };
}
