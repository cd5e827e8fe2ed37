import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { loadConfig } from '../config/load.ts';
import { loadMappings } from '../config/mapping.ts';
import { openApiWriting } from '../contract/openapi.ts';
import { buildModel } from '../model/build.ts';
import { checkRestriction } from '../run/convert/bind.ts';
import { configPath, defineCommand } from './command.ts';
import { writeFiles } from './init/files.ts';
import { readLiveSchema, readSnapshotFile } from './schema.ts';
import { seenBy } from './seen-by.ts';
import { dialectOf } from './sql.ts';

const usage = `Usage: entitygate openapi [options] > openapi.json

Prints the OpenAPI document of the API, as GET /rest/$openapi answers it.

Options:
  --config FILE        the configuration file (default: config.yaml; also ENTITYGATE_CONFIG)
  --schema-file FILE   what "entitygate schema" printed, instead of the database
  --role NAME          a role whose view is described; may be given several times (default: everything)
  --out FILE           the file to write, in YAML where its name ends in .yaml or .yml
  --help               show this text
`;

/** Describes the API as some roles see it. */
export const openApiCommand = defineCommand({
  name: 'openapi',
  usage,
  options: {
    config: { type: 'string' },
    'schema-file': { type: 'string' },
    role: { type: 'string', multiple: true },
    out: { type: 'string' },
  },
  run: async ({ values }, io) => {
    const file = values['schema-file'];
    const config = await loadConfig(configPath(values.config, io.environment), io.environment, {
      offline: file !== undefined,
    });
    const { dataclasses, functions } = await loadMappings(
      config.mappings,
      config.locate('mappings'),
    );
    const snapshot = await (file === undefined
      ? readLiveSchema(config, io)
      : readSnapshotFile(file));
    const dialect = dialectOf(config, snapshot);
    const settings = { ...config, dialect: dialect.name };
    const model = buildModel(dataclasses, snapshot.schema, settings, checkRestriction, functions);
    const seen = seenBy(values.role ?? [], model, config, dialect);
    const document: unknown = JSON.parse([...openApiWriting(seen, config)].join(''));
    const isYaml = /\.ya?ml$/i.test(values.out ?? '');
    const text = isYaml
      ? stringify(document, { aliasDuplicateObjects: false })
      : `${JSON.stringify(document, null, 2)}\n`;
    if (values.out === undefined) io.out(text);
    else await writeFiles([{ path: resolve(values.out), text }]);
    return 0;
  },
});
