import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config/config.ts';
import { loadMappings } from './config/mapping.ts';
import type { Database } from './database/database.ts';
import { openPglite } from './database/pglite.ts';
import { openPostgres } from './database/postgres.ts';
import { buildModel } from './model/build.ts';
import type { Model } from './model/types.ts';
import type { DialectSettings } from './sql/dialect.ts';
import { createHandler } from './server/handle.ts';
import { buildServer } from './server/server.ts';

/** A gateway that is ready to listen. */
export interface App {
  readonly server: FastifyInstance;
  readonly model: Model;
  readonly database: Database;
  /** Finishes what is in flight, then closes the database. */
  readonly close: () => Promise<void>;
}

/** Opens the database that the configuration names. */
export async function openDatabase({
  database,
  timeZone,
  bigNumbersAsStrings,
}: Config): Promise<Database> {
  const settings: DialectSettings = { timeZone, bigNumbersAsStrings };
  switch (database.engine) {
    case 'pglite':
      return openPglite(database, settings);
    case 'postgres':
      return openPostgres(database, settings);
  }
}

/**
 * The composition root: the only place that wires the stages together.
 * @param open opens the database; tests pass one that watches the statements
 * @throws StartupError with what the user can mend
 */
export async function buildApp(config: Config, open = openDatabase): Promise<App> {
  const mappings = await loadMappings(config.mappings);
  const database = await open(config);
  try {
    const model = buildModel(mappings, await database.introspect(), config);
    const handle = createHandler({
      database,
      model,
      catalog: {
        application: config.application,
        uniqueId: randomUUID().replaceAll('-', '').toUpperCase(),
      },
      settings: config,
      planCacheSize: config.planCacheSize,
    });
    const server = buildServer({ handle, ping: () => database.ping(), logLevel: config.log.level });
    server.addHook('onClose', () => database.close());
    for (const warning of model.warnings) server.log.warn(warning);
    return { server, model, database, close: () => server.close() };
  } catch (error) {
    await database.close();
    throw error;
  }
}
