import { isLongText, jsonString, withoutPadding } from '../../base/text.ts';
import type { Row } from '../../database/database.ts';
import {
  type FetchedRows,
  type Group,
  MOST_RELATED_ENTITIES,
  tooManyRelated,
} from '../../run/read/read.ts';
import { stampReader } from '../../run/write/stamp.ts';
import type { EntityShape, Field, KeyPart, RowsPlan } from '../../plan/condition/types.ts';
import { isPadded } from '../../schema/type-rules.ts';
import type { Reader } from '../../sql/dialect.ts';
import { isNumeric, keyText, type KeyValue } from '../../run/body/entity-key.ts';
import { entityUris, memberUri, memberUriEnd } from './entity-uri.ts';
import { inOrder, listWriting, type Writing } from './list-writing.ts';
import { readerOf as reader } from './columns.ts';
import { valueWriter } from '../value-writer.ts';

/** What the writers of one answer share. */
export interface AnswerContext {
  readonly globalStamp: string;
  /** How many related entities have been written. */
  relatedEntities: number;
  /** JSON texts of members of the entity, by their names: they take the place of what is read of these, or stand behind all. */
  instead?: ReadonlyMap<string, string>;
  /** Of a dry run: the row of the entity as it is, whose stamp and timestamp are told; null for a new entity, which has none yet. */
  current?: Row | null | undefined;
}

/** What an entity is written from: its row, where that stands, what is related to it, and what the answer's writers share. */
type Written = [row: Row, ...Rest];
type Rest = [index: number, from: FetchedRows, answer: AnswerContext];

/** Writes one row of a result as text. */
export type RowWriter = (...written: Written) => string;

/** Writes one row of a result as the JSON text of an entity. */
export interface EntityWriter extends RowWriter, LongAtTimes {
  /** The same text by text where it may be long: what is related to one entity may be as much as a list of them, and one value may have to be looked through. Null where none can be. */
  readonly steps: ((...written: Written) => string | Writing) | null;
}

interface LongAtTimes {
  /** Whether a row has what takes long; left out where nothing ever does, or where the row does not tell. */
  readonly isLong?: (row: Row) => boolean;
}

/** Which of the protocol's two forms of entities is written. */
export type EntityForm = 'object' | 'array';

/** What an entity's object holds besides. */
export interface EntityOptions {
  /** JSON text to begin the object with, ending in a comma. */
  readonly head?: string;
  /** Whether it is that of a save: it says its address, some members are told by {@link AnswerContext.instead}, and the stamp by {@link AnswerContext.current}. */
  readonly ofSave?: boolean;
}

/** Writes the value of a field as JSON text, null for one that is null. */
export interface FieldWriter extends LongAtTimes {
  (...written: Written): string | null;
  /** The same, text by text where it takes long, of what leads to many entities or has values to be looked through. */
  readonly steps?: (...written: Written) => string | Writing | null;
}

/**
 * Compiles the writer of one entity shape: everything that does not depend on the row, names, quotes and commas, is put
 * together here, once for all requests of a shape.
 */
export function compileEntity(
  shape: EntityShape,
  fetch: RowsPlan,
  form: EntityForm,
  { head = '', ofSave = false }: EntityOptions = {},
): EntityWriter {
  const { readers } = fetch;
  const uri = compileUri(shape, readers);
  const told = new Set<string>();
  const fields = shape.fields.flatMap((field): FieldWriter[] => {
    const write = compileField(field, { shape, fetch, form, uri });
    if (write === null) return [];
    const name = `,${JSON.stringify(field.name)}:`;
    if (ofSave && isRelated(field)) {
      told.add(field.name);
      return [
        (row, index, from, answer) =>
          name + (answer.instead?.get(field.name) ?? write(row, index, from, answer) ?? 'null'),
      ];
    }
    const isNull = `${name}null`;
    const named: RowWriter = (row, index, from, answer) => {
      const text = write(row, index, from, answer);
      return text === null ? isNull : name + text;
    };
    const { steps, isLong } = write;
    if (steps === undefined) return [named];
    return [
      Object.assign(named, {
        ...(isLong && { isLong }),
        steps: (...written: Written) => {
          const text = steps(...written) ?? 'null';
          return typeof text === 'string' ? name + text : inOrder([name, text]);
        },
      }),
    ];
  });
  const stamp = stampReader(shape.stamp, readers);
  const key = compileKey(shape, readers, form);
  const timestamp = form === 'array' ? null : shape.timestamp;
  const timestampReader = timestamp === null ? null : reader(readers, timestamp);
  const version = (row: Row): string => {
    const told = `"__STAMP":${stamp(row)}`;
    if (timestamp === null || timestampReader === null) return told;
    const value = row[timestamp];
    return `"__TIMESTAMP":${value === null ? 'null' : timestampReader.json(value)},${told}`;
  };
  const begunSave = (row: Row, { current = row }: AnswerContext): string => {
    const address = `"uri":${JSON.stringify(uri(row))}`;
    const told = current === null ? address : `${version(current)},${address}`;
    return `{${head}${key(row)}${told}`;
  };
  const begun = ofSave ? begunSave : (row: Row) => `{${head}${key(row)}${version(row)}`;
  const ended = ({ instead }: AnswerContext): string =>
    instead !== undefined && ofSave ? `${membersText(instead, told)}}` : '}';
  // Without rest parameters: this is run for each entity of each answer.
  const write: RowWriter = (row, index, from, answer) => {
    let text = begun(row, answer);
    for (const field of fields) text += field(row, index, from, answer) ?? '';
    return text + ended(answer);
  };
  const long = fields.filter((field) => field.steps !== undefined);
  const tests = long.flatMap(({ isLong }) => isLong ?? []);
  const isLong = (row: Row): boolean => {
    for (const test of tests) if (test(row)) return true;
    return false;
  };
  const doTell = tests.length === long.length;
  const steps = (...written: Written): string | Writing => {
    if (doTell && !isLong(written[0])) return write(...written);
    const texts = fields.map((field) => (field.steps ?? field)(...written) ?? '');
    const end = ended(written[3]);
    return texts.every((text) => typeof text === 'string')
      ? begun(written[0], written[3]) + texts.join('') + end
      : inOrder([begun(written[0], written[3]), ...texts, end]);
  };
  if (long.length === 0) return Object.assign(write, { steps: null });
  return Object.assign(write, { steps, ...(doTell && { isLong }) });
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

/** Writes `"__KEY":"…",`; a number in the array form where the key is one (§2.1). */
export function compileKey(
  shape: EntityShape,
  readers: readonly Reader[],
  form: EntityForm,
): (row: Row) => string {
  const [only, ...more] = shape.key;
  if (only === undefined) return () => '';
  if (form === 'array' && more.length === 0 && isNumeric(only.type)) {
    const { json } = reader(readers, only.column);
    return (row) => `"__KEY":${json(row[only.column])},`;
  }
  const textOf = compileKeyText(shape.key, readers);
  return (row) => `"__KEY":${jsonString(textOf(row) ?? keyText([]))},`;
}

/** The text of a key in a row, or null where one of its parts is null. */
function compileKeyText(
  key: readonly KeyPart[],
  readers: readonly Reader[],
): (row: Row) => string | null {
  const [only, ...more] = key;
  if (only !== undefined && more.length === 0 && !isPadded(only.type)) {
    const { column } = only;
    const { text } = reader(readers, column);
    return (row) => (row[column] === null || row[column] === undefined ? null : text(row[column]));
  }
  const parts = compileKeyParts(key, readers);
  return (row) => {
    const values = parts(row);
    return values === null ? null : keyText(values);
  };
}

/** The parts of a key in a row, or null where one of them is null. */
function compileKeyParts(
  key: readonly KeyPart[],
  readers: readonly Reader[],
): (row: Row) => KeyValue[] | null {
  const parts = key.map(({ name, type, column }) => {
    const { text } = reader(readers, column);
    // Padding is not part of a key: 'FR   ' and 'FR' are the same one.
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

/** Compiles what gives an entity's address, or null where a part of its key is. */
export function compileUri(
  shape: EntityShape,
  readers: readonly Reader[],
): (row: Row) => string | null {
  if (shape.key.length === 0) return () => null;
  const parts = compileKeyParts(shape.key, readers);
  const textOf = compileKeyText(shape.key, readers);
  const uriOf = entityUris(shape.dataclass.name);
  return (row) => {
    const text = textOf(row);
    return text === null ? null : uriOf(text, () => parts(row) ?? []);
  };
}

/** What the writers of a shape's fields are compiled with. */
export interface FieldContext {
  readonly shape: EntityShape;
  readonly fetch: RowsPlan;
  readonly form: EntityForm;
  /** The entity's address; null where it has none. */
  readonly uri: (row: Row) => string | null;
}

/** The writer of one field's value, null for a value that is null; or null where the form leaves the field out. */
export function compileField(field: Field, context: FieldContext): FieldWriter | null {
  const { fetch, form, uri } = context;
  const { readers } = fetch;
  switch (field.kind) {
    case 'value': {
      const { column } = field;
      const read = reader(readers, column);
      const write = valueWriter(read, field);
      const { longJson } = read;
      const one: FieldWriter = (row) => (row[column] === null ? null : write(row[column]));
      if (longJson === undefined || write !== read.json) return one;
      return Object.assign(one, {
        isLong: (row: Row) => {
          const value = row[column];
          return typeof value === 'string' && isLongText(value);
        },
        steps: (row: Row) =>
          row[column] === null ? null : (longJson(row[column]) ?? write(row[column])),
      });
    }
    case 'binary':
      return compileBinary(field, context);
    case 'deferredEntity': {
      if (form === 'array') return null;
      const parts = compileKeyParts(field.key, readers);
      const textOf = compileKeyText(field.key, readers);
      const uriOf = entityUris(field.target.name);
      return (row) => {
        const text = textOf(row);
        if (text === null) return null;
        // What is escaped for a URI holds nothing that JSON escapes.
        const uri = uriOf(text, () => parts(row) ?? []);
        return `{"__deferred":{"uri":"${uri}","__KEY":${jsonString(text)}}}`;
      };
    }
    case 'deferredSelection': {
      if (form === 'array') return null;
      const end = `${memberUriEnd(field.name)}"}}`;
      return (row) => {
        const base = uri(row);
        return base === null ? null : `{"__deferred":{"uri":"${base}${end}`;
      };
    }
    case 'entity': {
      const write = compileEntity(field.shape, fetch, form);
      const { present } = field;
      const { steps, isLong } = write;
      const one: FieldWriter = (row, ...others) =>
        row[present] === null ? null : write(row, ...others);
      if (steps === null) return one;
      return Object.assign(one, {
        ...(isLong && { isLong }),
        steps: (row: Row, ...others: Rest) =>
          row[present] === null ? null : steps(row, ...others),
      });
    }
    case 'selection':
      return compileSelection(field, context);
  }
}

/**
 * An image or BLOB (§4.5): key and stamp of its entity, and where its content is; of an image with the version. Inside
 * `__deferred` is not a key: clients would take what has one for a relation (DECISIONS, "Answers").
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
  const groupOf = (index: number, from: FetchedRows, answer: AnswerContext): Related => {
    const groups = from.children[field.child];
    const group = groups?.groups[groups.groupOf[index] ?? -1];
    if (groups === undefined || group === undefined) return null;
    answer.relatedEntities += group.end - group.start;
    if (answer.relatedEntities > MOST_RELATED_ENTITIES) throw tooManyRelated();
    return { group, fetched: groups.fetched };
  };
  const end = memberUriEnd(field.name);
  const head = (row: Row, related: Related, answer: AnswerContext): string => {
    if (form === 'array') return '[';
    const base = uri(row);
    const set = base === null ? 'null' : `"${base}${end}"`;
    const count = related?.group.count ?? 0;
    return (
      `{"__ENTITYSET":${set},"__GlobalStamp":${answer.globalStamp},"__COUNT":${count},"__FIRST":0,` +
      '"__ENTITIES":['
    );
  };
  const tail = (related: Related): string => {
    if (form === 'array') return ']';
    const { start, end } = related?.group ?? { start: 0, end: 0 };
    return `],"__SENT":${end - start}}`;
  };
  const atOnce = (row: Row, ...[index, from, answer]: Rest): string => {
    const related = groupOf(index, from, answer);
    let text = head(row, related, answer);
    if (related !== null) {
      const { group, fetched } = related;
      for (let at = group.start; at < group.end; at += 1) {
        const found = fetched.rows[at];
        if (found === undefined) continue;
        text += (at === group.start ? '' : ',') + write(found, at, fetched, answer);
      }
    }
    return text + tail(related);
  };
  const steps = function* (row: Row, ...[index, from, answer]: Rest): Writing {
    const related = groupOf(index, from, answer);
    yield head(row, related, answer);
    if (related !== null) {
      const { group, fetched } = related;
      const one = (found: Row, at: number): string | Writing =>
        (write.steps ?? write)(found, group.start + at, fetched, answer);
      yield* listWriting(fetched.rows.slice(group.start, group.end), one, ',');
    }
    yield tail(related);
  };
  return Object.assign(atOnce, { steps });
}

/** The entities that one leads to, among those of all; null where it leads to none. */
type Related = { readonly group: Group; readonly fetched: FetchedRows } | null;
