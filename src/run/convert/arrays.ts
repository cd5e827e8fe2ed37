import { excerpt } from '../../base/text.ts';
import { jsonText } from '../../protocol/body/json-writer.ts';
import { isJsonArray, type JsonValue } from '../../protocol/body/json.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { ArrayItems } from '../../sql/readers.ts';
import { ConversionError } from './conversion-error.ts';

/** How many items are converted in one step. */
const PIECE = 1000;

/** Converts an item to its canonical text. */
type Convert = (item: Exclude<JsonValue, null>) => string | null;

/**
 * The canonical text of an array in a body, see `sql/array-text.ts`. Inner arrays are values in arrays of JSON, else further dimensions, all of one
 * length (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-INPUT). @throws ConversionError naming the item
 */
export function* canonicalArray(
  value: JsonValue,
  items: ColumnType,
  one: Convert,
): Generator<void, string> {
  if (!isJsonArray(value)) throw new ConversionError('an array');
  const isFlat = items.kind === 'json';
  if (!isFlat) checkLengths(value);
  const texts: ArrayItems = yield* itemsOf(value, isFlat, one);
  return JSON.stringify(texts);
}

function* itemsOf(
  array: readonly JsonValue[],
  isFlat: boolean,
  one: Convert,
): Generator<void, ArrayItems> {
  const texts: ArrayItems[number][] = [];
  for (const item of array) {
    if (!isFlat && isJsonArray(item)) texts.push(yield* itemsOf(item, isFlat, one));
    else texts.push(item === null ? null : named(item, one));
    if (texts.length % PIECE === 0) yield;
  }
  return texts;
}

function named(item: Exclude<JsonValue, null>, one: Convert): string | null {
  try {
    return one(item);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    const shown = excerpt(jsonText(item));
    throw new ConversionError(`in place of ${shown} ${error.message}`, error.errorName);
  }
}

/** @throws ConversionError where inner arrays are empty, of several lengths, or beside items */
function checkLengths(array: readonly JsonValue[]): void {
  const inner = array.filter(isJsonArray);
  if (inner.length === 0) return;
  const length = inner[0]?.length ?? 0;
  if (length === 0 || inner.length < array.length || inner.some((one) => one.length !== length)) {
    throw new ConversionError('an array whose inner arrays have one length, and none is empty');
  }
  checkLengths(inner.flat());
}
