import {
  anyOf,
  arrayOf,
  FLAG,
  type JsonObject as Schema,
  NULL,
  objectOf,
  TEXT,
} from '../../../contract/json-schema.ts';
import type { JsonValue } from '../../../protocol/body/json.ts';
import type { Window } from '../cut.ts';
import type { RestCall } from '../rest-call.ts';

/** The arguments of a call, by their names. */
export type Arguments = Readonly<Record<string, JsonValue | undefined>>;

/** What clients may think of a tool before they call it. */
interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

/** A tool that agents may call. All of its texts are the gateway's own, or of the mapping files: none is of a row. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, Schema>>;
  /** The names of the arguments that a call has to give. */
  readonly required: readonly string[];
  readonly annotations: ToolAnnotations;
  /** Makes the request that a call is, or the text of an answer that needs none. @throws ProtocolError */
  readonly call: (
    given: Arguments,
  ) => RestCall | { readonly text: string; readonly window: Window };
}

/** Of tools that change nothing. */
export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };

/** Of tools that change data. */
export const CHANGES: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
};

/** The JSON Schema of a tool's arguments. */
export function inputSchema({
  parameters,
  required,
}: Pick<Tool, 'parameters' | 'required'>): Schema {
  const optional = Object.keys(parameters).filter((name) => !required.includes(name));
  return objectOf(parameters, optional);
}

/**
 * Schemas that the APIs of language models take: some refuse a list of types, an array without items, a value without a type, and formats that they do not know.
 */

/** How many items a list of arguments has at most. */
export const MOST_ITEMS = 2000;

const NUMBER: Schema = { type: 'number' };
const OPEN_OBJECT: Schema = { type: 'object', additionalProperties: true };
const SCALARS: readonly Schema[] = [TEXT, NUMBER, FLAG, NULL];

/** The schema of any value: its types, as models want them to be named. Arrays within arrays are taken, too. */
export const ANY_VALUE = anyOf(...SCALARS, OPEN_OBJECT, arrayOf(anyOf(...SCALARS, OPEN_OBJECT)));

/** The schema of a key. */
export const keySchema: Schema = {
  ...anyOf(TEXT, NUMBER, OPEN_OBJECT),
  description:
    'The key: __KEY as an answer has it or, for a key of several parts, an object with each of them.',
};

/** The schema of a list of names. */
export const namesSchema: Schema = {
  ...arrayOf({ ...TEXT, title: 'name' }),
  maxItems: MOST_ITEMS,
};

/** What all clients take of a schema. */
const TAKEN: ReadonlySet<string> = new Set(['type', 'enum', 'minimum', 'maximum', 'maxLength']);

/** The part of a contract's schema that all clients take; the API checks the rest. */
export function argumentSchema(schema: Schema): Schema {
  const { type, format } = schema;
  if (type === undefined) return ANY_VALUE;
  if (Array.isArray(type)) return anyOf(...type.map((one: string) => ({ type: one })));
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([name]) => TAKEN.has(name))),
    ...(type === 'array' && { items: ANY_VALUE }),
    ...(typeof format === 'string' && type === 'string' && { description: `As ${format}.` }),
  };
}

/** The schema of the results of all tools. */
export const RESULT = objectOf(
  {
    notice: { ...TEXT, description: 'What the data is.' },
    note: { ...TEXT, description: 'What is missing, and how to go on.' },
    data: { description: 'The answer; of one that is too large, its beginning.' },
  },
  ['note'],
);
