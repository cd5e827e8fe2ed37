import type { ColumnType } from '../../schema/types.ts';
import type { DialectSettings, Reader } from '../dialect.ts';
import { itemsJson, mapItems, parseItems, quoted } from '../json-text.ts';
import { isUtc } from '../local-time.ts';
import { arrayLiteral, hexDigits, isLocal } from './literals.ts';
import { localTimeReader, storedLocal } from './local-time.ts';

/** The type of an array's items; null for what is not an array. */
export function itemsOf(type: ColumnType): ColumnType | null {
  return type.kind === 'json' ? (type.items ?? null) : null;
}

/**
 * An array as JSON whose items are the texts that a column of their type has
 * (https://www.postgresql.org/docs/current/functions-json.html#FUNCTIONS-JSON-CREATION-TABLE). Text is not cast, which would
 * drop its padding; money is, because its text depends on the server's locale.
 */
export function itemTexts(name: string, items: ColumnType): string {
  if (items.kind === 'text') return `to_json(${name})`;
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
  const delimiter = items.native === 'box' ? ';' : ',';
  return arrayLiteral(mapItems(parseItems(text), itemText(items, timeZone)), delimiter);
}

function itemText(items: ColumnType, timeZone: string): (text: string) => string {
  if (items.kind === 'binary') return (digits) => `\\x${digits}`;
  if (!isLocal(items) || isUtc(timeZone)) return (text) => text;
  return (text) => storedLocal(text, items, timeZone);
}
