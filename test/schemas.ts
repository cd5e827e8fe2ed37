import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { z } from 'zod';
import { configSchema } from '../src/config/config.ts';
import { mappingSchema } from '../src/config/mapping.ts';
import { reportSchema } from '../src/config/report.ts';
import { withSettingsLists } from './settings-lists.ts';

const config = {
  title: 'Entitygate: config.yaml',
  ...z.toJSONSchema(configSchema, { io: 'input' }),
};

const mapping = {
  title: 'Entitygate: a mapping file',
  ...z.toJSONSchema(mappingSchema, { io: 'input' }),
  // JSON Schema does not show the refinements of zod: this one is repeated here.
  oneOf: [{ required: ['table'] }, { required: ['view'] }],
};

const report = {
  title: 'Entitygate: a report file',
  ...z.toJSONSchema(reportSchema, { io: 'input' }),
};

/** The pages that list settings, with the schema of these. */
const pages = [
  ['docs/reference/configuration.md', config],
  ['docs/reference/mapping-files.md', mapping],
  ['docs/reference/report-files.md', report],
] as const;

/** The published JSON Schemas (2020-12), for editors, and the pages that list the settings: their text by file name. */
export async function schemaFiles(): Promise<ReadonlyMap<string, string>> {
  const options = await resolveConfig('schemas/config.schema.json');
  const text = (schema: object): Promise<string> =>
    format(JSON.stringify(schema), { ...options, parser: 'json' });
  const page = async (path: string, schema: object): Promise<string> =>
    format(withSettingsLists(await readFile(path, 'utf8'), schema), {
      ...options,
      parser: 'markdown',
    });
  return new Map([
    ['schemas/config.schema.json', await text(config)],
    ['schemas/mapping.schema.json', await text(mapping)],
    ['schemas/report.schema.json', await text(report)],
    ...(await Promise.all(
      pages.map(async ([path, schema]) => [path, await page(path, schema)] as const),
    )),
  ]);
}

if (import.meta.filename === process.argv[1]) {
  await mkdir('schemas', { recursive: true });
  for (const [path, text] of await schemaFiles()) await writeFile(path, text);
}
