import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { ProtocolError } from '../../../base/errors.ts';
import { nameHint } from '../../../base/names.ts';
import type { JsonObject as Schema } from '../../../contract/json-schema.ts';
import {
  digitsOf,
  isJsonArray,
  isJsonObject,
  type JsonValue,
} from '../../../protocol/body/json-value.ts';
import type { Window } from '../cut.ts';
import type { RestCall } from '../rest-call.ts';

/** The arguments of a call, by their names. */
export type Arguments = Readonly<Record<string, JsonValue | undefined>>;

/** The schemas of a tool's arguments, by their names. */
type Parameters = Readonly<Record<string, Schema>>;

/** A tool that agents may call. All of its texts are the gateway's own, or of the mapping files: none is of a row. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: Parameters;
  /** The names of the arguments that a call has to give. */
  readonly required: readonly string[];
  readonly annotations: ToolAnnotations;
  /** Makes the request that a call is, or the text of an answer that needs none. @throws ProtocolError */
  readonly call: (given: Arguments) => RestCall | LocalAnswer;
}

/** An answer of what the gateway knows without the database: a list as JSON text. */
export interface LocalAnswer {
  readonly text: string;
  readonly window: Window;
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
export function inputSchema({ parameters, required }: Pick<Tool, 'parameters' | 'required'>): {
  readonly type: 'object';
} & Schema {
  return { type: 'object', properties: parameters, required, additionalProperties: false };
}

/** The kinds of argument, by the types of their schemas. */
const KINDS: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => /^-?\d+$/.test(digitsOf(value) ?? ''),
  number: (value) => digitsOf(value) !== null,
  array: isJsonArray,
  object: isJsonObject,
};

/**
 * Checks the arguments of a call by name and kind; what they mean is checked where a REST request is.
 * @throws ProtocolError badParameters, with the nearest names
 */
export function checkArguments(
  { name: tool, parameters, required }: Pick<Tool, 'name' | 'parameters' | 'required'>,
  given: Arguments,
): void {
  for (const [name, value] of Object.entries(given)) {
    const schema = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (schema === undefined) {
      const hint = nameHint(name, Object.keys(parameters));
      throw new ProtocolError('badParameters', `${tool} has no argument ${name}.${hint}`);
    }
    if (value !== undefined) checkArgument(value, schema, `${name} of ${tool}`);
  }
  const missing = required.find((name) => given[name] === undefined);
  if (missing === undefined) return;
  throw new ProtocolError('badParameters', `${tool} needs the argument ${missing}.`);
}

function checkArgument(value: JsonValue, schema: Schema, what: string): void {
  const expected = expectation(value, schema);
  if (expected !== null) throw new ProtocolError('badParameters', `${what}: expected ${expected}.`);
  const { items } = schema;
  if (!isJsonArray(value) || typeof items !== 'object') return;
  for (const item of value) checkArgument(item, items as Schema, `An item of ${what}`);
}

/** What a schema expects in place of a value; null where it takes it. */
function expectation(value: JsonValue, schema: Schema): string | null {
  const { type, minimum = -Infinity, maximum = Infinity, maxItems = Infinity } = schema as Limits;
  const kinds = [type ?? []].flat();
  if (kinds.length > 0 && !kinds.some((kind) => KINDS[kind]?.(value) === true)) {
    return kinds.join(' or ');
  }
  const number = Number(digitsOf(value) ?? NaN);
  if (number < minimum) return `at least ${minimum}`;
  if (number > maximum) return `at most ${maximum}`;
  return isJsonArray(value) && value.length > maxItems ? `at most ${maxItems} items` : null;
}

/** What of a schema is checked. */
interface Limits {
  readonly type?: string | readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
}
