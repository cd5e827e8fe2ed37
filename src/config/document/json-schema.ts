import { z } from 'zod';
import { configSchema } from '../config.ts';
import { mappingSchema } from '../mapping.ts';

/** A JSON Schema (2020-12), for editors: they complete and check settings while they are typed. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON Schema of `config.yaml`. */
export function configJsonSchema(): JsonSchema {
  return { title: 'Entitygate: config.yaml', ...z.toJSONSchema(configSchema, { io: 'input' }) };
}

/** The JSON Schema of a mapping file. */
export function mappingJsonSchema(): JsonSchema {
  return {
    title: 'Entitygate: a mapping file',
    ...z.toJSONSchema(mappingSchema, { io: 'input' }),
    // What zod checks by function has to be said once more here.
    oneOf: [{ required: ['table'] }, { required: ['view'] }],
  };
}
