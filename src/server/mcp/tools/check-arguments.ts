import { nameHint } from '../../../base/names.ts';
import { excerpt } from '../../../base/text.ts';
import type { JsonObject as Schema } from '../../../contract/json-schema.ts';
import {
  digitsOf,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../protocol/body/json.ts';
import { RpcError } from '../json-rpc.ts';
import { ANY_VALUE } from './tool.ts';

/** The parts of a schema that are checked. */
interface Checked {
  readonly title?: string;
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

/** Whether a value is of a type, and the type in words. */
type Kind = readonly [takes: (value: JsonValue) => boolean, words: string];

const KINDS: Readonly<Record<string, Kind>> = {
  string: [(value) => typeof value === 'string', 'a text'],
  boolean: [(value) => typeof value === 'boolean', 'true or false'],
  integer: [(value) => /^-?\d+$/.test(digitsOf(value) ?? ''), 'an integer'],
  number: [(value) => digitsOf(value) !== null, 'a number'],
  array: [isJsonArray, 'an array'],
  object: [isJsonObject, 'an object'],
  null: [(value) => value === null, 'null'],
};

/**
 * Checks arguments by the schema that is published: types, names, bounds and lengths. What names and values mean is checked where a REST request is. Lists are
 * counted before their items are looked at.
 * @param what they are the arguments of
 * @throws RpcError with the first mistake
 */
export function checkArguments(value: JsonValue, schema: Schema, what: string): void {
  const mistake = mistakeIn(value, schema, what);
  if (mistake !== null) throw new RpcError('invalidParams', mistake);
}

function mistakeIn(value: JsonValue, schema: Schema, what: string): string | null {
  if (schema === ANY_VALUE) return null;
  const { type, anyOf, minimum = -Infinity, maximum = Infinity } = schema as Checked;
  const takes =
    anyOf?.some((one) => mistakeIn(value, one, what) === null) ??
    KINDS[type ?? '']?.[0](value) ??
    true;
  if (!takes) return `${what}: expected ${expectation(schema)}.`;
  if (anyOf !== undefined) return null;
  if (isJsonArray(value)) return mistakeInList(value, schema, what);
  if (isJsonObject(value)) return mistakeInObject(value, schema, what);
  const number = Number(digitsOf(value) ?? NaN);
  if (number < minimum) return `${what}: expected at least ${minimum}.`;
  return number > maximum ? `${what}: expected at most ${maximum}.` : null;
}

/** What a schema expects, in words. */
function expectation(schema: Schema): string {
  const { type = '', anyOf, title, items = {} } = schema as Checked;
  if (anyOf !== undefined) return anyOf.map(expectation).join(' or ');
  if (title !== undefined) return `a ${title}`;
  const { title: item } = items as Checked;
  return `${KINDS[type]?.[1] ?? 'a value'}${item === undefined ? '' : ` of ${item}s`}`;
}

function mistakeInList(list: readonly JsonValue[], schema: Schema, what: string): string | null {
  const { items = ANY_VALUE, maxItems = Infinity } = schema as Checked;
  if (list.length > maxItems) return `${what}: expected at most ${maxItems} items.`;
  if (items === ANY_VALUE) return null;
  for (const item of list) {
    const mistake = mistakeIn(item, items, `An item of ${what}`);
    if (mistake !== null) return mistake;
  }
  return null;
}

function mistakeInObject(object: JsonObject, schema: Schema, what: string): string | null {
  const { properties = {}, required = [], additionalProperties } = schema as Checked;
  for (const name of Object.keys(object)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) {
      if (additionalProperties !== false) continue;
      return `${what} has no argument ${excerpt(name)}.${nameHint(name, Object.keys(properties))}`;
    }
    const mistake = mistakeIn(object[name] ?? null, property, `${name} of ${what}`);
    if (mistake !== null) return mistake;
  }
  const missing = required.find((name) => !Object.hasOwn(object, name));
  return missing === undefined ? null : `${what} needs the argument ${missing}.`;
}
