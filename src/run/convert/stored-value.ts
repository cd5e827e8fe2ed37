import { ProtocolError } from '../../base/errors.ts';
import { excerpt, withoutPadding } from '../../base/text.ts';
import { atOnce } from '../../base/time.ts';
import {
  Digits,
  digitsOf,
  isJsonArray,
  isJsonObject,
  type JsonValue,
  parseJson,
} from '../../protocol/body/json.ts';
import { jsonWriting } from '../../protocol/body/json-writer.ts';
import { isNoDate } from '../../protocol/url/literals.ts';
import { countsUtf16 } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import { type ArrayItems, isArray, parseItems } from '../../sql/readers.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { canonicalArray } from './arrays.ts';
import { canonicalText, HEX_TEXT } from './bind.ts';
import { withFraction } from './numbers.ts';
import { checkHeld, cutToStep } from './times.ts';
import { COMPARED_JSON, isJsonOf, isSameNumber } from './same-json.ts';
import { ConversionError } from './conversion-error.ts';

/** How many characters of a text are counted, or of base64 decoded, in one step. */
const PIECE = 1_048_576;

/** A value for a column: canonical text of its type, null, or the bytes of an image or BLOB. */
export type StoredValue = string | null | Uint8Array;

/** Finds the bytes that were uploaded under an ID; undefined where there are none. */
export type FindUpload = (id: string) => Uint8Array | undefined;

/** Whether a value is bytes, which travel as a parameter of their own. */
export function isBytes(value: StoredValue): value is Uint8Array {
  return value instanceof Uint8Array;
}

/** The attribute that a value of a body is for, and the type of its column. */
interface StoringSlot {
  readonly member: string;
  readonly type: ColumnType;
}

/** What values are stored with. */
export interface StoringContext {
  readonly findUpload: FindUpload;
  /** The engine's limits; those of an unknown engine where they are left out. */
  readonly limits?: ValueLimits | undefined;
}

/** The value of an attribute as its column stores it, in steps; undefined for a deferred image or BLOB as it was read. @throws ProtocolError */
export function* storing(
  value: JsonValue,
  slot: StoringSlot,
  { findUpload, limits }: StoringContext,
): Generator<void, StoredValue | undefined> {
  if (value === null) return null;
  const { type } = slot;
  try {
    return type.kind === 'binary'
      ? yield* givenBytes(value, findUpload)
      : yield* storedText(value, type, limits);
  } catch (error) {
    throw refusalOf(error, value, slot);
  }
}

/** Whether a value takes no steps, so that {@link storedAtOnce} reads it. */
export function isShort(value: JsonValue, { kind }: ColumnType): boolean {
  if (kind === 'json' || kind === 'binary') return false;
  return typeof value !== 'string' || value.length <= PIECE;
}

/** As {@link storing}, of a value that {@link isShort}. @throws ProtocolError */
export function storedAtOnce(
  value: JsonValue,
  slot: StoringSlot,
  limits: ValueLimits | undefined,
): string | null {
  if (value === null) return null;
  const { type } = slot;
  try {
    const canonical = storedScalar(value, type, limits);
    if (mayBeTooLong(canonical, type)) atOnce(checkLength(canonical, type));
    return canonical;
  } catch (error) {
    throw refusalOf(error, value, slot);
  }
}

function refusalOf(
  error: unknown,
  value: Exclude<JsonValue, null>,
  { member }: StoringSlot,
): unknown {
  if (!(error instanceof ConversionError)) return error;
  const message = `${shown(value)} is not a value for ${member}: expected ${error.message}.`;
  return new ProtocolError(error.errorName, message);
}

function* storedText(
  value: Exclude<JsonValue, null>,
  type: ColumnType,
  limits: ValueLimits | undefined,
): Generator<void, string | null> {
  if (type.kind !== 'json') {
    const canonical = storedScalar(value, type, limits);
    yield;
    if (mayBeTooLong(canonical, type)) yield* checkLength(canonical, type);
    return canonical;
  }
  if (type.items === undefined) return yield* jsonWriting(value, checkJson);
  // Of an array each item is stored as values of its type are.
  const { items } = type;
  return yield* canonicalArray(value, items, (item) =>
    items.kind === 'binary' ? hexOf(item) : atOnce(storedText(item, items, limits)),
  );
}

/** A text may still be too long for its column. */
function storedScalar(
  value: Exclude<JsonValue, null>,
  type: ColumnType,
  limits: ValueLimits | undefined,
): string | null {
  const digits = digitsOf(value);
  if (typeof value === 'object' && digits === null) {
    throw new ConversionError(
      isJsonArray(value) ? 'one value, not an array' : 'a value, not an object',
    );
  }
  if (typeof value === 'string' && !value.isWellFormed()) {
    throw new ConversionError('text without half a surrogate pair');
  }
  const isText = type.kind === 'text' || type.kind === 'opaque';
  if (isText && typeof value !== 'string') throw new ConversionError('text in quotes');
  if (type.kind === 'hex' && typeof value !== 'string') throw new ConversionError(HEX_TEXT);
  if (typeof value === 'boolean' && type.kind !== 'boolean')
    throw new ConversionError(expectedOf(type));
  const isDate = type.kind === 'date' || type.kind === 'timestamp';
  if (isDate && typeof value === 'string' && isNoDate(value)) return null;
  const text = typeof value === 'string' ? value : (digits ?? String(value === true));
  // Only a text may be NaN or an infinity.
  const isNumeric = type.kind === 'float' || type.kind === 'decimal';
  const own =
    limits && isNumeric && typeof value === 'string' ? { ...limits, notNumbers: false } : limits;
  const canonical = cutToStep(canonicalText(text, type, own), type);
  checkScale(canonical, type);
  checkHeld(canonical, type, limits?.timeZone);
  return canonical;
}

function hexOf(value: JsonValue): string {
  if (typeof value !== 'string') throw new ConversionError('base64');
  return Buffer.from(atOnce(decodeBase64(value)))
    .toString('hex')
    .toUpperCase();
}

/** The digits before and after the point that JSON numbers have room for on every engine. */
const JSON_DIGITS = 16_383;

/** How deep objects and arrays may be nested, so that reading them does not overflow the stack. */
const JSON_LEVELS = 1000;

/** Refuses JSON that not every engine can store, or look into once it is stored (DECISIONS, "`$filter`"). */
function checkJson(value: JsonValue, depth: number): void {
  const isScalar = !isJsonArray(value) && !isJsonObject(value);
  if (isScalar) checkScalar(value);
  else if (depth === JSON_LEVELS)
    throw new ConversionError(`JSON of at most ${JSON_LEVELS} levels`);
}

function checkScalar(value: JsonValue): void {
  if (typeof value === 'string') {
    if (value.includes('\u0000') || !value.isWellFormed()) {
      throw new ConversionError('JSON without the character U+0000 and half surrogate pairs');
    }
  } else if (value instanceof Digits) {
    const exponent = Number(value.text.toLowerCase().split('e')[1] ?? '0');
    if (value.text.length > JSON_DIGITS || Math.abs(exponent) > JSON_DIGITS) {
      throw new ConversionError(`JSON with numbers of at most ${JSON_DIGITS} digits`);
    }
  }
}

function expectedOf(type: ColumnType): string {
  return type.kind === 'integer' || type.kind === 'decimal' || type.kind === 'float'
    ? 'a number'
    : 'text in quotes';
}

/** Whether the length of a text is to be looked at; most are so short that they fit in any case. */
function mayBeTooLong(text: string | null, type: ColumnType): text is string {
  if (text === null || (type.kind !== 'text' && type.kind !== 'opaque')) return false;
  const most = type.kind === 'text' ? (type.maxLength ?? Infinity) : Infinity;
  return type.maxBytes !== undefined || text.length > most;
}

/** Counts characters, or code units where the engine counts these. */
function* checkLength(text: string, type: ColumnType): Generator<void, void> {
  const isText = type.kind === 'text' || type.kind === 'opaque';
  if (isText && type.maxBytes !== undefined) checkBytes(text, type.maxBytes);
  if (type.kind !== 'text' || type.maxLength === null || text.length <= type.maxLength) return;
  const blanksAside = withoutPadding(text);
  yield;
  const counted = type.padded ? blanksAside : text;
  const characters = yield* charactersIn(counted);
  const length = countsUtf16(type) ? counted.length : characters;
  if (length > type.maxLength) {
    const why = length > characters ? ', as some count twice' : '';
    throw new ConversionError(
      `text of at most ${type.maxLength} characters, and this has ${length}${why}`,
      'tooLong',
    );
  }
}

/** The characters of a well-formed text: each surrogate pair is one. */
function* charactersIn(text: string): Generator<void, number> {
  let pairs = 0;
  for (let from = 0; from < text.length; from += PIECE) {
    const end = Math.min(from + PIECE, text.length);
    for (let at = from; at < end; at += 1) {
      if ((text.charCodeAt(at) & 0xfc00) === 0xd800) pairs += 1;
    }
    yield;
  }
  return text.length - pairs;
}

function checkBytes(text: string, most: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > most) {
    throw new ConversionError(`text of at most ${most} bytes, and this has ${bytes}`, 'tooLong');
  }
}

/** A number as a column stores it. @throws ConversionError where the column does not have exactly that number */
export function storedNumber(text: string, type: ColumnType): string {
  const canonical = canonicalText(text, type);
  checkScale(canonical, type);
  return canonical;
}

/** Refuses digits that the column has no room for: they would be rounded away unnoticed. */
function checkScale(text: string, type: ColumnType): void {
  if (type.kind !== 'decimal' || type.scale === null) return;
  const { scale } = type;
  if (scale < 0) {
    const isMultiple = /^-?\d+$/.test(text) && BigInt(text) % 10n ** BigInt(-scale) === 0n;
    if (!isMultiple) throw new ConversionError(`a multiple of 1${'0'.repeat(-scale)}`, 'tooLong');
    return;
  }
  const point = text.indexOf('.');
  if (point >= 0 && text.length - point - 1 > scale) {
    throw new ConversionError(
      scale === 0 ? 'a whole number' : `a number of at most ${scale} decimals`,
      'tooLong',
    );
  }
}

const BYTES_EXPECTED = 'base64, or {"ID": …} of an upload';

/** Base64, with or without the `data:…;base64,` that browsers put before it; or the ID of an upload. */
function* givenBytes(
  value: JsonValue,
  findUpload: FindUpload,
): Generator<void, Uint8Array | undefined> {
  if (typeof value === 'string') return yield* decodeBase64(value);
  if (!isJsonObject(value)) throw new ConversionError(BYTES_EXPECTED);
  if (value['__deferred'] !== undefined) return undefined;
  const id = value['ID'];
  if (typeof id !== 'string') throw new ConversionError(BYTES_EXPECTED);
  const bytes = findUpload(id);
  if (bytes !== undefined) return bytes;
  const message = `There is no upload ${excerpt(id)}: it was never made, or was kept for its time and is gone.`;
  throw new ProtocolError('noSuchUpload', message);
}

/** The bytes of base64, which line breaks may divide and whose padding may be missing. */
function* decodeBase64(text: string): Generator<void, Uint8Array> {
  const [head = ''] = /^data:[^,]{0,200};base64,/i.exec(text) ?? [];
  const end = endOfDigits(text);
  const parts: Uint8Array[] = [];
  let left = '';
  for (let at = head.length; at < end; at += PIECE) {
    const digits = left + text.slice(at, Math.min(at + PIECE, end)).replace(/[\r\n]+/g, '');
    // Four digits are three bytes.
    const whole = at + PIECE < end ? digits.length - (digits.length % 4) : digits.length;
    parts.push(bytesOfDigits(digits.slice(0, whole)));
    left = digits.slice(whole);
    yield;
  }
  return Buffer.concat(parts);
}

/** Where the padding begins at the end, which line breaks may divide, too. */
function endOfDigits(text: string): number {
  let end = text.length;
  for (let padding = 0; end > 0; end -= 1) {
    const last = text[end - 1];
    if (last === '=' && padding < 2) padding += 1;
    else if (last !== '\n' && last !== '\r') break;
  }
  return end;
}

/** Decodes base64; the number of bytes tells what the decoder skipped (https://nodejs.org/api/buffer.html#buffers-and-character-encodings). */
function bytesOfDigits(digits: string): Uint8Array {
  const bytes = Buffer.from(digits, 'base64');
  const isWhole = digits.length % 4 !== 1 && bytes.length === Math.floor((digits.length * 3) / 4);
  if (!isWhole || digits.includes('-') || digits.includes('_')) {
    throw new ConversionError(BYTES_EXPECTED);
  }
  return bytes;
}

/** The beginning of a value, for messages; the rest is not even written. */
function shown(value: JsonValue): string {
  if (typeof value === 'string') return `"${excerpt(value)}"`;
  const begun = jsonWriting(value).next();
  return begun.done === true ? excerpt(begun.value) : isJsonArray(value) ? '[…]' : '{…}';
}

/** Whether a value would leave a column that holds another one unchanged. */
export function isSameValue(current: string | null, given: StoredValue, type: ColumnType): boolean {
  if (isBytes(given)) return false;
  if (current === null || given === null) return current === given;
  if (current === given) return true;
  switch (type.kind) {
    case 'decimal':
    case 'integer':
      return isSameNumber(current, given);
    case 'float':
      return sameFloat(current, given, type.bits);
    case 'text':
      return type.padded && withoutPadding(current) === withoutPadding(given);
    case 'timestamp':
    case 'time':
      return trimmedFraction(current) === trimmedFraction(given);
    case 'json':
      return type.items === undefined
        ? isSameJsonText(current, given)
        : isSameArray(parseItems(current), parseItems(given), type.items);
    case 'boolean':
    case 'uuid':
    case 'date':
    case 'opaque':
    case 'binary':
    case 'hex':
      return false;
  }
}

function isSameArray(current: ArrayItems, given: ArrayItems, items: ColumnType): boolean {
  return (
    current.length === given.length &&
    current.every((one, index) => {
      const other = given[index] ?? null;
      if (isArray(one)) return isArray(other) && isSameArray(one, other, items);
      return !isArray(other) && isSameValue(one, other, items);
    })
  );
}

function sameFloat(current: string, given: string, bits: 32 | 64): boolean {
  const [a, b] = [Number(current), Number(given)];
  return bits === 32 ? Math.fround(a) === Math.fround(b) : a === b;
}

/** `12:30:00.500` and `12:30:00.5` are one time. */
function trimmedFraction(text: string): string {
  const [, whole = text, fraction = '', zone = ''] = /^([^.]*)\.(\d*)(\D.*)?$/.exec(text) ?? [];
  return withFraction(whole, fraction) + zone;
}

function isSameJsonText(current: string, given: string): boolean {
  if (Math.max(current.length, given.length) > COMPARED_JSON) return current === given;
  try {
    return isJsonOf(current, parseJson(given));
  } catch {
    return false;
  }
}
