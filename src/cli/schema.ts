import { loadConfig } from '../config/load.ts';
import { snapshotText } from '../schema/snapshot.ts';
import { configPath, defineCommand } from './command.ts';
import { readLiveSchema } from './schema-source.ts';

const usage = `Usage: entitygate schema [options] > schema.json

Prints the schema of the database as JSON, in an order that does not change: for "entitygate sql" without
the database, and for comparing schemas.

Options:
  --config FILE   the configuration file (default: config.yaml; also ENTITYGATE_CONFIG)
  --help          show this text
`;

/** Prints what introspection finds. */
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
