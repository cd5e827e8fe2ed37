import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { openApiWriting } from '../contract/openapi.ts';
import { defineCommand } from './command.ts';
import { writeFiles } from './init/files.ts';
import { modelOptions, modelUsage } from './schema.ts';
import { readSeenModel } from './seen-model.ts';

const usage = `Usage: entitygate openapi [options] > openapi.json

Prints the OpenAPI document of the API, as GET /rest/$openapi answers it.

Options:${modelUsage}
  --role NAME         describe what users with this role see; repeat it for more roles
                      (default: everything)
  --out FILE          the file to write: YAML if its name ends in .yaml or .yml, JSON otherwise
  --help              show this text
`;

/** Describes the API as some roles see it. */
export const openApiCommand = defineCommand({
  name: 'openapi',
  usage,
  options: {
    ...modelOptions,
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
