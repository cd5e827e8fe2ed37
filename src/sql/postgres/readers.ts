import { BOOLEAN } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { DialectSettings } from '../dialect.ts';
import type { Reader, Utf8Form } from '../ir/statement.ts';
import { instantText, isUtc, localText, OUTERMOST_DAYS } from '../local-time.ts';
import {
  base64Reader,
  isoTimestamp,
  itemsJson,
  mapItems,
  nativeJson,
  parseItems,
  quoted,
  reader,
  sharedReader,
  textReader as plainTextReader,
  truth,
} from '../readers.ts';
import { arrayLiteral, hexDigits, isLocal } from './literals.ts';

/**
 * Readers of PostgreSQL's text output, which is the same whatever the server's defaults: sessions have UTC, ISO dates and shortest floats
 * (https://www.postgresql.org/docs/current/runtime-config-client.html).
 */
export function postgresReader(type: ColumnType, settings: DialectSettings): Reader {
  const utf8 = utf8Form(type, settings);
  const read = readerOf(type, settings);
  return utf8 === null ? read : { ...read, utf8 };
}

function readerOf(type: ColumnType, settings: DialectSettings): Reader {
  const { kind } = type;
  if (kind === 'boolean') {
    return reader((value) => truth(String(value), ['t', 'true'], ['f', 'false']));
  }
  if (kind === 'timestamp') return reader((value) => isoTimestamp(String(value)), quoted);
  if (kind === 'hex') return reader((value) => hexDigits(value).toUpperCase(), quoted);
  if (kind === 'json' && type.items !== undefined) {
    return arrayReader(type.items, postgresReader(type.items, settings), settings);
  }
  if (kind === 'json' && !type.asText) return reader(String, nativeJson);
  const shared = sharedReader(type, settings);
  if (kind !== 'decimal') return shared;
  return {
    ...shared,
    json: (value) => (NO_NUMBER.has(String(value)) ? 'null' : shared.json(value)),
  };
}

/** https://www.postgresql.org/docs/current/datatype-numeric.html#DATATYPE-NUMERIC-DECIMAL */
const NO_NUMBER: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity']);

/** @returns null for values that have to be read, as numbers that become strings for their length */
function utf8Form(type: ColumnType, { bigNumbersAsStrings }: DialectSettings): Utf8Form | null {
  switch (type.kind) {
    case 'boolean':
      return 'truth';
    case 'integer':
      return type.bits === 64 && bigNumbersAsStrings ? null : 'integer';
    case 'decimal':
      return bigNumbersAsStrings ? null : 'decimal';
    case 'date':
      return 'ascii';
    case 'text':
    case 'opaque':
    case 'binary':
      return 'text';
    case 'float':
    case 'uuid':
    case 'timestamp':
    case 'time':
    case 'json':
    case 'hex':
      return null;
  }
}

/** Reads `int` and `bigint` results that are not a column's. */
export const integerReader: Reader = { ...reader(String), utf8: 'integer' };

/** Reads booleans that are not a column's. */
export const booleanReader = postgresReader(BOOLEAN, {
  timeZone: 'UTC',
  bigNumbersAsStrings: false,
});

/** Reads text that is not a column's. */
export const textReader: Reader = { ...plainTextReader, utf8: 'text' };

/** Reads slices of bytes. */
export const bytesReader: Reader = { ...textReader, bytes: bytesOf };

function bytesOf(wire: unknown): Buffer {
  return Buffer.from(hexDigits(wire), 'hex');
}

/** The reader of a result whose type the driver gave: bytes are Base64. */
export function resultReader(type: ColumnType, settings: DialectSettings): Reader {
  return type.kind === 'binary' ? base64Reader(bytesOf) : postgresReader(type, settings);
}

/** The type of an array's items; null for what is not an array. */
export function itemsOf(type: ColumnType): ColumnType | null {
  return type.kind === 'json' ? (type.items ?? null) : null;
}

/**
 * An array as JSON of texts as a column of the item type has them. Text is not cast, which would drop its padding; money is, because its text
 * depends on the locale (https://www.postgresql.org/docs/current/functions-json.html#FUNCTIONS-JSON-CREATION-TABLE).
 */
export function itemTexts(name: string, items: ColumnType): string {
  if (items.kind === 'text' || (items.kind === 'opaque' && items.native === 'inet'))
    return `to_json(${name})`;
  return `to_json(${name}${items.native === 'money' ? '::numeric[]' : ''}::text[])`;
}

/** @param item the reader of a column of the items' type */
export function arrayReader(items: ColumnType, item: Reader, settings: DialectSettings): Reader {
  const { json, text } = itemReader(items, item, settings);
  return {
    text: (wire) => itemsJson(parseItems(String(wire)), (value) => JSON.stringify(text(value))),
    json: (wire) => itemsJson(parseItems(String(wire)), json),
  };
}

/** Bytes are Base64 in JSON and hexadecimal digits otherwise; local times come as they are stored. */
function itemReader(items: ColumnType, item: Reader, { timeZone }: DialectSettings): Reader {
  if (items.kind === 'binary') {
    return {
      text: (value) => hexDigits(value).toUpperCase(),
      json: (value) => quoted(Buffer.from(hexDigits(value), 'hex').toString('base64')),
    };
  }
  return isLocal(items) && !isUtc(timeZone) ? localTimeReader(items, timeZone) : item;
}

/** The array literal of an array's canonical text, for the input function of the column's type. */
export function arrayText(text: string, items: ColumnType, timeZone: string): string {
  return arrayLiteral(mapItems(parseItems(text), itemText(items, timeZone)), items);
}

function itemText(items: ColumnType, timeZone: string): (text: string) => string {
  if (items.kind === 'binary') return (digits) => `\\x${digits}`;
  if (!isLocal(items) || isUtc(timeZone)) return (text) => text;
  return (text) => storedLocal(text, items, timeZone);
}

/**
 * Instants and local times of PostgreSQL. Years that no other engine has are written as PostgreSQL writes them: `0044-03-15 12:00:00 BC`, with
 * `+00` before the era for an instant. They are converted by way of a year from 1 to 9999: the calendar and the changes of clocks repeat after
 * 400 years, and before Christ clocks show solar time all year.
 */

/** A local time as it is stored, as an instant; infinity as it is. */
export function storedInstant(stored: string, type: ColumnType, timeZone: string): string {
  const local = stored.replace(' ', 'T');
  if (NEAR.test(local)) return instantText(local, type, timeZone);
  return shifted(local, '+00', (near) => instantText(near, type, timeZone).slice(0, -1)) ?? stored;
}

/** An instant as the local time that is stored; infinity as it is. */
export function storedLocal(instant: string, type: ColumnType, timeZone: string): string {
  if (NEAR.test(instant)) return localText(instant, type, timeZone);
  return shifted(instant, '', (near) => localText(`${near}Z`, type, timeZone)) ?? instant;
}

/** Reads local times that come as they are stored. */
export function localTimeReader(type: ColumnType, timeZone: string): Reader {
  return reader((value) => isoTimestamp(storedInstant(String(value), type, timeZone)), quoted);
}

/** Date-times of the years that other engines have, too. */
const NEAR = /^\d{4}-\d\d-\d\dT[^ ]*$/;

const DISTANT = /^(\d{4,7})-(\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z|\+00)?( BC)?$/i;

/**
 * Moves a date-time; null for a year from 1 to 9999, and for infinity.
 * @param zone what follows the time; @param shift moves a date-time of a year from 1 to 9999 (`YYYY-MM-DDTHH:MM:SS`)
 */
function shifted(text: string, zone: string, shift: (near: string) => string): string | null {
  const [matched, digits, day = '', time = '', era = ''] = DISTANT.exec(text) ?? [];
  if (matched === undefined) return null;
  const year = era === '' ? Number(digits) : 1 - Number(digits);
  if (year > 0 && year <= 9999) return null;
  const written = (moved: number, rest: string): string => {
    const shown = String(moved > 0 ? moved : 1 - moved).padStart(4, '0');
    return `${shown}-${rest}${zone}${moved > 0 ? '' : ' BC'}`;
  };
  const plain = written(year, `${day} ${time}`);
  if (isOutermost(plain)) return plain;
  const near = (((year % 400) + 400) % 400) + (year > 0 ? 2400 : 400);
  const moved = shift(`${String(near).padStart(4, '0')}-${day}T${time}`);
  return written(year + Number(moved.slice(0, 4)) - near, moved.slice(5).replace('T', ' '));
}

/** Whether a date-time is of a day that is the same in every time zone. */
function isOutermost(text: string): boolean {
  const { first, last } = OUTERMOST_DAYS;
  const [day = ''] = text.split(' ');
  return day === last || (text.endsWith(' BC') && `${day} BC` === first);
}
