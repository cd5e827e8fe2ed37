import { atSetting, openDatabase } from '../app.ts';
import type { Config } from '../config/config.ts';
import type { SchemaSnapshot } from '../schema/snapshot.ts';
import { Progress, type CommandIo } from './io.ts';

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
