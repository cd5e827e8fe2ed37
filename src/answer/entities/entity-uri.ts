import { withoutPadding } from '../../base/text.ts';
import type { Row } from '../../database/database.ts';
import type { EntityShape, KeyPart } from '../../plan/condition/types.ts';
import { keyText, type KeyValue } from '../../run/body/entity-key.ts';
import { isPadded } from '../../schema/type-rules.ts';
import { readerOf, textReader } from '../../run/run.ts';
import type { Reader } from '../../sql/ir/statement.ts';
import type { StorageAttribute } from '../../model/types.ts';

/** The writer of an attribute's values, other than null, as JSON text. */
export function valueWriter(
  { json, text }: Reader,
  { simpleDate, trim }: Pick<StorageAttribute, 'trim' | 'simpleDate'>,
): (value: unknown) => string {
  if (simpleDate) return (value) => withSimpleDates(json(value));
  if (trim) return (value) => JSON.stringify(withoutPadding(text(value)));
  return json;
}

/** Writes `"2024-07-04"` as `"4!7!2024"`. A date of another form, such as one before Christ, stays as it is. */
function withSimpleDates(json: string): string {
  return json.replace(
    /"(\d{4})-(\d{2})-(\d{2})"/g,
    (_, year: string, month: string, day: string) => `"${Number(day)}!${Number(month)}!${year}"`,
  );
}

/** Text that needs no quotes inside the parentheses of a URI. */
const PLAIN_KEY = /^[A-Za-z0-9_.-]+$/;

/** `/rest/Company(1)`: relative, because absolute URIs break clients behind proxies (DECISIONS). */
export function entityUri(dataclass: string, parts: readonly KeyValue[]): string {
  return `${entityUriHead(dataclass)}${keyInUri(keyText(parts), () => parts)})`;
}

/** The part of an entity's URI before its key. */
export function entityUriHead(dataclass: string): string {
  return `/rest/${escaped(dataclass)}(`;
}

/** A key as it stands between the parentheses of a URI; `parts` gives its parts where `text`, its `__KEY`, does not tell. */
function keyInUri(text: string, parts: () => readonly KeyValue[]): string {
  return PLAIN_KEY.test(text) ? text : escapedKey(parts(), text);
}

/** `/rest/Company/$entityset/0A1B…` (§2.3). */
export function entitySetUri(dataclass: string, id: string): string {
  return `/rest/${escaped(dataclass)}/$entityset/${id}`;
}

/** The URI of an entity's related entities, image or BLOB: `query` (`$binary=true`) follows the `?` that clients look for (DECISIONS). */
export function memberUri(base: string, name: string, query?: string): string {
  const escapedName = escaped(name);
  return `${base}/${escapedName}?${query === undefined ? '' : `${query}&`}$expand=${escapedName}`;
}

function escapedKey(parts: readonly KeyValue[], text: string): string {
  const [only, ...more] = parts;
  if (only === undefined || more.length > 0) return escaped(text);
  // Bytes may be empty, and empty parentheses are not a key.
  if (text === '') return escaped('""');
  if (only.type.kind !== 'text' && only.type.kind !== 'opaque') return escaped(text);
  const quote =
    QUOTES.find((own) => !text.includes(own)) ??
    QUOTES.find((own) => !new RegExp(`${own}\\s*[,;]`).test(text));
  // Text that neither quote can enclose has no URI; this form is the least likely to be that of another entity.
  return escaped(
    quote === undefined
      ? `{${JSON.stringify(only.name)}:${JSON.stringify(text)}}`
      : `${quote}${text}${quote}`,
  );
}

/** A quote inside quotes closes them where a comma or a semicolon follows it. */
const QUOTES = ['"', "'"] as const;

/** A column of UTF-16 may hold half a surrogate pair, which has no escape. */
function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Reads the keys of entities. */
export interface KeyReader {
  /** The text of `__KEY`; null where a part of the key is. */
  readonly text: (row: Row) => string | null;
  /** The URI; null where the entity has no key, or a part of it is null. */
  readonly uri: (row: Row) => string | null;
  /** The URI of an entity with a key. @param text that of its `__KEY` */
  readonly uriOf: (row: Row, text: string) => string;
}

export function keyReader(
  { key, dataclass }: Pick<EntityShape, 'key' | 'dataclass'>,
  readers: readonly Reader[],
): KeyReader {
  const parts = keyPartsReader(key, readers);
  const [only, ...more] = key;
  const head = entityUriHead(dataclass.name);
  let text = (row: Row): string | null => {
    const values = parts(row);
    return values === null ? null : keyText(values);
  };
  if (only !== undefined && more.length === 0 && !isPadded(only.type)) {
    text = textReader(only.column, readers);
  }
  const uriOf = (row: Row, own: string): string =>
    `${head}${keyInUri(own, () => parts(row) ?? [])})`;
  const uri = (row: Row): string | null => {
    const own = text(row);
    return own === null ? null : uriOf(row, own);
  };
  return { text, uriOf, uri: only === undefined ? () => null : uri };
}

/** Reads the parts of a key; null where one of them is. */
function keyPartsReader(
  key: readonly KeyPart[],
  readers: readonly Reader[],
): (row: Row) => KeyValue[] | null {
  const parts = key.map(({ name, type, column }) => {
    const { text } = readerOf(readers, column);
    // 'FR   ' and 'FR' are the same key.
    const read = isPadded(type) ? (value: unknown) => withoutPadding(text(value)) : text;
    return { name, type, column, read };
  });
  return (row) => {
    const values: KeyValue[] = [];
    for (const { name, type, column, read } of parts) {
      const value = row[column];
      if (value === null || value === undefined) return null;
      values.push({ name, type, text: read(value) });
    }
    return values;
  };
}

/** The column whose bytes are the text of a key; null of other keys. */
export function copiedKey(key: readonly KeyPart[], readers: readonly Reader[]): number | null {
  const [only, ...more] = key;
  if (only === undefined || more.length > 0 || isPadded(only.type)) return null;
  const { utf8 } = readerOf(readers, only.column);
  return utf8 === undefined || utf8 === 'truth' ? null : only.column;
}
