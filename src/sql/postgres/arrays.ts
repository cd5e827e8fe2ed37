import type { ColumnType } from '../../schema/types.ts';
import type { DialectSettings, Reader } from '../dialect.ts';
import { isoTimestamp, itemsJson, mapItems, parseItems, quoted } from '../json-text.ts';
import { instantText, isUtc, localText } from '../local-time.ts';
import { distantInstantText, distantLocalText } from './distant-local-time.ts';
import { arrayLiteral } from './literals.ts';

/** The type of an array's items; null for what is not an array. */
export function itemsOf(type: ColumnType): ColumnType | null {
  return type.kind === 'json' ? (type.items ?? null) : null;
}

/**
 * An array as JSON whose items are the texts of their type, which are those that a column of the type has
 * (https://www.postgresql.org/docs/current/functions-json.html#FUNCTIONS-JSON-CREATION-TABLE). A cast to text takes the padding
 * off, so that text goes without one; written as text, money depends on the server's locale.
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

/** Bytes are Base64 in JSON and digits otherwise; local times come as they are stored. */
function itemReader(items: ColumnType, item: Reader, { timeZone }: DialectSettings): Reader {
  if (items.kind === 'binary') {
    const digits = (value: unknown): string => String(value).replace(/^\\x/, '');
    return {
      text: (value) => digits(value).toUpperCase(),
      json: (value) => quoted(Buffer.from(digits(value), 'hex').toString('base64')),
    };
  }
  if (!isLocal(items, timeZone)) return item;
  const instant = (value: unknown): string => {
    const local = String(value).replace(' ', 'T');
    const text = NEAR.test(local)
      ? instantText(local, items, timeZone)
      : (distantInstantText(local, items, timeZone) ?? String(value));
    return isoTimestamp(text);
  };
  return { text: instant, json: (value) => quoted(instant(value)) };
}

/** The array literal of an array's canonical text, for the input function of the column's type. */
export function arrayText(text: string, items: ColumnType, timeZone: string): string {
  const delimiter = items.native === 'box' ? ';' : ',';
  return arrayLiteral(mapItems(parseItems(text), itemText(items, timeZone)), delimiter);
}

function itemText(items: ColumnType, timeZone: string): (text: string) => string {
  if (items.kind === 'binary') return (digits) => `\\x${digits}`;
  if (!isLocal(items, timeZone)) return (text) => text;
  return (text) =>
    NEAR.test(text)
      ? localText(text, items, timeZone)
      : (distantLocalText(text, items, timeZone) ?? text);
}

/** Whether items are local times of another zone than UTC. */
function isLocal(items: ColumnType, timeZone: string): boolean {
  return items.kind === 'timestamp' && !items.zoned && !isUtc(timeZone);
}

/** Date-times of the years that other engines have, too. */
const NEAR = /^\d{4}-\d\d-\d\dT[^ ]*$/;
