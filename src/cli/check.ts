import { dirname, join } from 'node:path';
import { loadConfig } from '../config/load.ts';
import { loadMappings } from '../config/mapping.ts';
import { findDrift } from './init/drift.ts';
import { readRules } from './init/rules.ts';
import { checkRestriction } from '../run/convert/bind.ts';
import { configPath, defineCommand } from './command.ts';
import { readLiveSchema, readSnapshotFile, snapshotIn } from './schema.ts';

const usage = `Usage: entitygate check [options]

Compares the mapping files with the database. The exit code is 1 if they do not match.

Options:
  --config FILE       the configuration file (default: config.yaml; also ENTITYGATE_CONFIG)
  --schema-file FILE  an earlier schema; changes since then are listed
                      (default: schema.json beside the configuration, if there is one)
  --strict            the exit code is also 1 for harmless changes, and for tables and columns that
                      no mapping file names
  --help              show this text
`;

/** Reports the differences of mapping files and live schema, for a pipeline or before a start. */
export const checkCommand = defineCommand({
  name: 'check',
  usage,
  options: {
    config: { type: 'string' },
    'schema-file': { type: 'string' },
    strict: { type: 'boolean' },
  },
  run: async ({ values }, io) => {
    const path = configPath(values.config, io.environment);
    const config = await loadConfig(path, io.environment);
    const { dataclasses, functions } = await loadMappings(
      config.mappings,
      config.locate('mappings'),
    );
    const prior = await (values['schema-file'] === undefined
      ? snapshotIn(dirname(path))
      : readSnapshotFile(values['schema-file']));
    const { schema, dialect, advice } = await readLiveSchema(config, io);
    const rules = await readRules(join(dirname(path), 'init.yaml'));
    const { errors, notes } = findDrift(
      dataclasses,
      schema,
      prior?.schema ?? null,
      dialect === null ? config : { ...config, dialect },
      checkRestriction,
      functions,
      rules,
    );
    for (const { where, message } of errors) {
      io.out(`error: ${where === null ? message : `${where}: ${message}`}\n`);
    }
    for (const note of notes) io.out(`note: ${note}\n`);
    for (const sentence of advice) io.out(`advice: ${sentence}\n`);
    const files = dataclasses.length + functions.length;
    io.out(
      errors.length + notes.length === 0
        ? `${count(files, 'mapping file')} ${files === 1 ? 'matches' : 'match'} the database.\n`
        : `${count(errors.length, 'error')}, ${count(notes.length, 'note')}.\n`,
    );
    return errors.length > 0 || (values.strict === true && notes.length > 0) ? 1 : 0;
  },
});

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
