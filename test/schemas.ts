import { mkdir, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { configJsonSchema, mappingJsonSchema } from '../src/config/document/json-schema.ts';

/** The published JSON Schemas: their text by file name. */
export async function schemaFiles(): Promise<ReadonlyMap<string, string>> {
  const options = await resolveConfig('schemas/config.schema.json');
  const text = (schema: object): Promise<string> =>
    format(JSON.stringify(schema), { ...options, parser: 'json' });
  return new Map([
    ['schemas/config.schema.json', await text(configJsonSchema())],
    ['schemas/mapping.schema.json', await text(mappingJsonSchema())],
  ]);
}

if (import.meta.filename === process.argv[1]) {
  await mkdir('schemas', { recursive: true });
  for (const [path, text] of await schemaFiles()) await writeFile(path, text);
}
