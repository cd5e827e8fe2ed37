import { withoutPadding } from '../base/padding.ts';
import type { Row } from '../database/database.ts';
import { MOST_RELATED_ENTITIES, tooManyRelated, type FetchedRows } from '../execute/read.ts';
import type { PrintedRows } from '../execute/print.ts';
import { stampReader } from '../execute/stamp.ts';
import type { EntityShape, Field, KeyPart } from '../plan/types.ts';
import { isPadded } from '../schema/padded.ts';
import type { Reader } from '../sql/dialect.ts';
import { isNumeric, keyText, type KeyValue } from '../values/key-text.ts';
import { entityUris, memberUri } from './entity-uri.ts';
import { readerOf as reader } from './reader-of.ts';
import { valueWriter } from './value-writer.ts';

/** What the writers of one answer share. */
export interface AnswerContext {
  readonly globalStamp: string;
  /** How many related entities have been written. */
  relatedEntities: number;
  /** JSON texts of members of the entity, by their names: they take the place of what is read of these, or stand behind all. */
  instead?: ReadonlyMap<string, string>;
}

/** Writes one row of a result as the JSON text of an entity. */
export type EntityWriter = (
  row: Row,
  index: number,
  from: FetchedRows,
  answer: AnswerContext,
) => string;

/** Which of the protocol's two forms of entities is written. */
export type EntityForm = 'object' | 'array';

/** What an entity's object holds besides. */
export interface EntityOptions {
  /** JSON text to begin the object with, ending in a comma. */
  readonly head?: string;
  /** Whether the object says its own address (§2.1). */
  readonly withUri?: boolean;
  /** Whether some members are told by {@link AnswerContext.instead}. */
  readonly withInstead?: boolean;
}

type FieldWriter = (
  row: Row,
  index: number,
  from: FetchedRows,
  answer: AnswerContext,
) => string | null;

/**
 * Compiles the writer of one entity shape: everything that does not depend on the row, names, quotes and commas, is put
 * together here, once for all requests of a shape.
 */
export function compileEntity(
  shape: EntityShape,
  fetch: PrintedRows,
  form: EntityForm,
  { head = '', withUri = false, withInstead = false }: EntityOptions = {},
): EntityWriter {
  const { readers } = fetch;
  const uri = compileUri(shape, readers);
  const told = new Set<string>();
  const fields = shape.fields.flatMap((field): FieldWriter[] => {
    const write = compileField(field, { shape, fetch, form, uri });
    if (write === null) return [];
    const name = `,${JSON.stringify(field.name)}:`;
    if (withInstead && isRelated(field)) {
      told.add(field.name);
      return [
        (row, index, from, answer) =>
          name + (answer.instead?.get(field.name) ?? write(row, index, from, answer) ?? 'null'),
      ];
    }
    return [(row, index, from, answer) => name + (write(row, index, from, answer) ?? 'null')];
  });
  const stamp = stampReader(shape.stamp, readers);
  const key = compileKey(shape, readers, form);
  const timestamp = form === 'array' ? null : shape.timestamp;
  const timestampReader = timestamp === null ? null : reader(readers, timestamp);
  return (row, index, from, answer) => {
    let text = `{${head}${key(row)}`;
    if (timestamp !== null && timestampReader !== null) {
      const value = row[timestamp];
      text += `"__TIMESTAMP":${value === null ? 'null' : timestampReader.json(value)},`;
    }
    text += `"__STAMP":${stamp(row)}`;
    if (withUri) text += `,"uri":${JSON.stringify(uri(row))}`;
    for (const field of fields) text += field(row, index, from, answer) ?? '';
    if (answer.instead !== undefined && withInstead) text += membersText(answer.instead, told);
    return `${text}}`;
  };
}

/** What JSON escapes nothing of, nor a URI: most keys, and the addresses of their entities. */
const PLAIN = /^[\w/()$.%-]*$/;

/** A text as JSON. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function isRelated({ kind }: Field): boolean {
  return kind !== 'value' && kind !== 'binary';
}

/** Members of an object as JSON text, each behind a comma. @param but the names of those that are left out */
export function membersText(
  members: ReadonlyMap<string, string>,
  but: ReadonlySet<string> = new Set(),
): string {
  let text = '';
  for (const [name, json] of members) {
    if (!but.has(name)) text += `,${JSON.stringify(name)}:${json}`;
  }
  return text;
}

/** `"__KEY":"…",`; a number in the array form where the key is one (§2.1). */
function compileKey(
  shape: EntityShape,
  readers: readonly Reader[],
  form: EntityForm,
): (row: Row) => string {
  const [only, ...more] = shape.key;
  if (only === undefined) return () => '';
  const parts = compileKeyParts(shape.key, readers);
  if (form === 'array' && more.length === 0 && isNumeric(only.type)) {
    const { json } = reader(readers, only.column);
    return (row) => `"__KEY":${json(row[only.column])},`;
  }
  return (row) => `"__KEY":${quoted(keyText(parts(row) ?? []))},`;
}

/** The parts of a key in a row, or null where one of them is null. */
function compileKeyParts(
  key: readonly KeyPart[],
  readers: readonly Reader[],
): (row: Row) => KeyValue[] | null {
  const parts = key.map(({ name, type, column }) => {
    const { text } = reader(readers, column);
    // Padding is no part of a key: 'FR   ' and 'FR' are the same one.
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

function compileUri(shape: EntityShape, readers: readonly Reader[]): (row: Row) => string | null {
  if (shape.key.length === 0) return () => null;
  const parts = compileKeyParts(shape.key, readers);
  const uriOf = entityUris(shape.dataclass.name);
  return (row) => {
    const key = parts(row);
    return key === null ? null : uriOf(key, keyText(key));
  };
}

/** What the writers of a shape's fields are compiled with. */
interface FieldContext {
  readonly shape: EntityShape;
  readonly fetch: PrintedRows;
  readonly form: EntityForm;
  /** The entity's address; null where it has none. */
  readonly uri: (row: Row) => string | null;
}

/** The writer of one field's value, null for a value that is null; or null where the form leaves the field out. */
function compileField(field: Field, context: FieldContext): FieldWriter | null {
  const { fetch, form, uri } = context;
  const { readers } = fetch;
  switch (field.kind) {
    case 'value': {
      const { column } = field;
      const write = valueWriter(reader(readers, column), field);
      return (row) => (row[column] === null ? null : write(row[column]));
    }
    case 'binary':
      return compileBinary(field, context);
    case 'deferredEntity': {
      if (form === 'array') return null;
      const parts = compileKeyParts(field.key, readers);
      const uriOf = entityUris(field.target.name);
      return (row) => {
        const key = parts(row);
        if (key === null) return null;
        const text = keyText(key);
        return `{"__deferred":{"uri":${quoted(uriOf(key, text))},"__KEY":${quoted(text)}}}`;
      };
    }
    case 'deferredSelection': {
      if (form === 'array') return null;
      return (row) => {
        const base = uri(row);
        if (base === null) return null;
        return `{"__deferred":{"uri":${JSON.stringify(memberUri(base, field.name))}}}`;
      };
    }
    case 'entity': {
      const write = compileEntity(field.shape, fetch, form);
      const { present } = field;
      return (row, index, from, answer) =>
        row[present] === null ? null : write(row, index, from, answer);
    }
    case 'selection':
      return compileSelection(field, context);
  }
}

/**
 * An image or BLOB (§4.5): key and stamp of its entity, and where its content is; of an image with the version. Inside
 * `__deferred` is no key: clients would take what has one for a relation (DECISIONS, "Answers").
 */
function compileBinary(
  { name, column, type }: Extract<Field, { kind: 'binary' }>,
  { shape, fetch: { readers }, uri }: FieldContext,
): FieldWriter {
  const present = reader(readers, column);
  const stamp = stampReader(shape.stamp, readers);
  const key = compileKeyParts(shape.key, readers);
  const isImage = type === 'image';
  return (row) => {
    const base = uri(row);
    if (base === null || present.text(row[column]) !== 'true') return null;
    const version = stamp(row);
    const query = isImage ? `$imageformat=best&$version=${version}` : '$binary=true';
    const content = JSON.stringify(memberUri(base, name, query));
    return (
      `{"__KEY":${JSON.stringify(keyText(key(row) ?? []))},"__STAMP":${version},"uri":${content},` +
      `"__deferred":{"uri":${content}${isImage ? ',"image":true' : ''}}}`
    );
  };
}

function compileSelection(
  field: Extract<Field, { kind: 'selection' }>,
  { fetch, form, uri }: FieldContext,
): FieldWriter {
  const child = fetch.children[field.child];
  if (child === undefined) throw new Error(`relation ${field.name} is not fetched`);
  const write = compileEntity(child.fetch.shape, child.fetch, form);
  return (row, index, from, answer) => {
    const groups = from.children[field.child];
    const group = groups?.groups[groups.groupOf[index] ?? -1];
    let entities = '';
    if (groups !== undefined && group !== undefined) {
      answer.relatedEntities += group.end - group.start;
      if (answer.relatedEntities > MOST_RELATED_ENTITIES) throw tooManyRelated();
      for (let at = group.start; at < group.end; at += 1) {
        const found = groups.fetched.rows[at];
        if (found === undefined) continue;
        entities += (at === group.start ? '' : ',') + write(found, at, groups.fetched, answer);
      }
    }
    if (form === 'array') return `[${entities}]`;
    const base = uri(row);
    const set = base === null ? 'null' : JSON.stringify(memberUri(base, field.name));
    const sent = group === undefined ? 0 : group.end - group.start;
    return (
      `{"__ENTITYSET":${set},"__GlobalStamp":${answer.globalStamp},"__COUNT":${group?.count ?? 0},"__FIRST":0,` +
      `"__ENTITIES":[${entities}],"__SENT":${sent}}`
    );
  };
}
