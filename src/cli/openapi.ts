import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { openApiWriting } from '../contract/openapi.ts';
import { defineCommand } from './command.ts';
import { writeFiles } from './init/files.ts';
import { readSeenModel } from './seen-model.ts';

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
    const { config, model } = await readSeenModel(values, io);
    const document: unknown = JSON.parse([...openApiWriting(model, config)].join(''));
    const isYaml = /\.ya?ml$/i.test(values.out ?? '');
    const text = isYaml
      ? stringify(document, { aliasDuplicateObjects: false })
      : `${JSON.stringify(document, null, 2)}\n`;
    if (values.out === undefined) io.out(text);
    else await writeFiles([{ path: resolve(values.out), text }]);
    return 0;
  },
});
