import { jsonString } from '../../base/text.ts';
import type { Row, RowCursor } from '../../database/database.ts';
import type { EntityShape, Field, RowsPlan } from '../../plan/condition/types.ts';
import { isNumeric, keyText } from '../../run/body/entity-key.ts';
import { encodedHashReader, readerOf, stampReader } from '../../run/run.ts';
import type { Reader } from '../../sql/ir/statement.ts';
import {
  copiedKey,
  entityUriHead,
  type KeyReader,
  keyReader,
  memberUri,
  valueWriter,
} from './entity-uri.ts';

/** A part of an entity's JSON, compiled once for a shape; `entity-writer.ts` and `entity-bytes.ts` interpret the parts for each row. */
export type Part =
  /** Equal for all rows. */
  | { readonly kind: 'text'; readonly text: string }
  /** A text, and behind it the value of a column. */
  | {
      readonly kind: 'value';
      readonly head: string;
      readonly column: number;
      /** The whole part for null. */
      readonly whenNull: string;
      readonly json: (value: unknown) => string;
      /** As in {@link Reader}. */
      readonly longJson?: Reader['longJson'];
      /** How the bytes of most values become JSON without being decoded. */
      readonly form?: CopiedForm;
    }
  /** JSON made of a whole row. */
  | {
      readonly kind: 'row';
      readonly json: (row: Row) => string;
      /** Makes the same JSON from a row as it came. */
      readonly ofBytes?: (row: RowCursor) => string;
      /** How the bytes of most rows become the same JSON. */
      readonly copied?: {
        readonly values: readonly CopiedValue[];
        readonly tail: string;
        /** The JSON where a value is null; left out where `json` writes that, too. */
        readonly whenNull?: string;
      };
    }
  /** A related entity, which is there where a column is not null. */
  | {
      readonly kind: 'entity';
      readonly column: number;
      readonly whenNull: string;
      readonly parts: readonly Part[];
    }
  /** A list of related entities. */
  | {
      readonly kind: 'list';
      /** The index of its rows among the children of the fetched rows. */
      readonly child: number;
      readonly head: (row: Row, count: number, globalStamp: string) => string;
      readonly tail: (sent: number) => string;
      readonly parts: readonly Part[];
    }
  /** `__STATUS` of a save. */
  | { readonly kind: 'savedHead' }
  /** In a dry run the parts of the entity as it is; a new entity has none. */
  | { readonly kind: 'current'; readonly parts: readonly Part[] }
  /** A relation: the entities that were saved along with it, or else the part. */
  | {
      readonly kind: 'savedMember';
      readonly name: string;
      readonly head: string;
      readonly part: Part;
    }
  /** The other relations with entities that were saved along, and `__ERROR`. */
  | { readonly kind: 'savedTail'; readonly shown: ReadonlySet<string> };

/** How the bytes of a value become JSON: as {@link Reader.utf8} says, as text within a URI, or as text within other text. */
export type CopiedForm = NonNullable<Reader['utf8']> | 'uri' | 'within';

/** A copied value of a column, and the text before it. */
export interface CopiedValue {
  readonly head: string;
  readonly form: CopiedForm;
  readonly column: number;
}

/** The two forms of entities (§2.1, §4.2 rule 4). */
export type EntityForm = 'object' | 'array';

export interface EntityOptions {
  /** JSON text to begin the object with, ending in a comma. */
  readonly head?: string;
  /** Whether the object answers a save: it has its status and URI, and shows the entities that were saved along with it. */
  readonly ofSave?: boolean;
}

/** The parts of an entity's JSON. */
export function entityParts(
  shape: EntityShape,
  fetch: RowsPlan,
  form: EntityForm,
  { head = '', ofSave = false }: EntityOptions = {},
): Part[] {
  const { readers } = fetch;
  const key = keyReader(shape, readers);
  const version = versionParts(shape, readers, form);
  const fields = shape.fields.map((field) => fieldPart(field, { shape, fetch, form, key }));
  if (!ofSave) {
    const begin = keyPart(shape, readers, form, key, `{${head}`);
    const own = fields.filter((part) => part !== null);
    return [begin, ...version, ...own, { kind: 'text', text: '}' }];
  }
  const shown = new Set<string>();
  const saved = fields.flatMap((part, index): Part[] => {
    const field = shape.fields[index];
    if (part === null || field === undefined) return [];
    if (field.kind === 'value' || field.kind === 'binary') return [part];
    shown.add(field.name);
    return [{ kind: 'savedMember', name: field.name, head: fieldHead(field), part }];
  });
  const comma: Part = { kind: 'text', text: ',' };
  return [
    { kind: 'text', text: '{' },
    { kind: 'savedHead' },
    keyPart(shape, readers, form, key, `,${head}`),
    { kind: 'current', parts: [...version, comma] },
    { kind: 'row', json: (row) => `"uri":${JSON.stringify(key.uri(row))}` },
    ...saved,
    { kind: 'savedTail', shown },
    { kind: 'text', text: '}' },
  ];
}

/** `{"__KEY":"…",`; a number in the array form where the key is one (§2.1). */
function keyPart(
  shape: EntityShape,
  readers: readonly Reader[],
  form: EntityForm,
  key: KeyReader,
  head: string,
): Part {
  const [only, ...more] = shape.key;
  if (only === undefined) return { kind: 'text', text: head };
  if (form === 'array' && more.length === 0 && isNumeric(only.type)) {
    const { column } = only;
    const reader = readerOf(readers, column);
    // A declared key may be null in spite of that.
    const json = (row: Row): string =>
      `${head}"__KEY":${row[column] === null ? 'null' : reader.json(row[column])},`;
    if (reader.utf8 !== 'integer' && reader.utf8 !== 'decimal') return { kind: 'row', json };
    const values = [{ head: `${head}"__KEY":`, form: reader.utf8, column }] as const;
    return { kind: 'row', json, copied: { values, tail: ',' } };
  }
  const json = (row: Row): string => `${head}"__KEY":${jsonString(key.text(row) ?? keyText([]))},`;
  const column = copiedKey(shape.key, readers);
  if (column === null) return { kind: 'row', json };
  const values = [{ head: `${head}"__KEY":"`, form: 'within', column }] as const;
  return { kind: 'row', json, copied: { values, tail: '",' } };
}

/** `"__TIMESTAMP":…,"__STAMP":…`, in the array form without the first. */
function versionParts(
  { stamp, timestamp }: EntityShape,
  readers: readonly Reader[],
  form: EntityForm,
): Part[] {
  const read = stampReader(stamp, readers);
  const hasTimestamp = form === 'object' && timestamp !== null;
  const head = `${hasTimestamp ? ',' : ''}"__STAMP":`;
  const json = (row: Row): string => head + read(row);
  const isCopied = stamp.kind === 'column' && readerOf(readers, stamp.column).utf8 === 'integer';
  const values = isCopied ? [{ head, form: 'integer', column: stamp.column } as const] : [];
  let own: Part = { kind: 'row', json };
  if (isCopied) own = { ...own, copied: { values, tail: '' } };
  else if (stamp.kind === 'none') own = { kind: 'text', text: json([]) };
  else if (stamp.kind === 'hash') {
    const hash = encodedHashReader(stamp, readers);
    own = { ...own, ofBytes: (row) => head + hash(row) };
  }
  if (!hasTimestamp) return [own];
  const { json: timestampJson } = readerOf(readers, timestamp);
  return [valuePart('"__TIMESTAMP":', timestamp, timestampJson), own];
}

function valuePart(
  head: string,
  column: number,
  json: (value: unknown) => string,
): Extract<Part, { kind: 'value' }> {
  return { kind: 'value', head, column, json, whenNull: `${head}null` };
}

function fieldHead({ name }: Field): string {
  return `,${JSON.stringify(name)}:`;
}

interface FieldContext {
  readonly shape: EntityShape;
  readonly fetch: RowsPlan;
  readonly form: EntityForm;
  readonly key: KeyReader;
}

/** One field with its name; null where the form leaves it out. */
function fieldPart(field: Field, context: FieldContext): Part | null {
  const { shape, fetch, form, key } = context;
  const { readers } = fetch;
  const head = fieldHead(field);
  const whenNull = `${head}null`;
  switch (field.kind) {
    case 'value': {
      const reader = readerOf(readers, field.column);
      const { json, longJson, utf8 } = reader;
      const write = valueWriter(reader, field);
      const part = valuePart(head, field.column, write);
      if (write !== json) return part;
      return { ...part, ...(longJson && { longJson }), ...(utf8 && { form: utf8 }) };
    }
    case 'binary': {
      const json = binaryWriter(field, context);
      return { kind: 'row', json: (row) => head + json(row) };
    }
    case 'deferredEntity': {
      if (form === 'array') return null;
      const target = keyReader({ key: field.key, dataclass: field.target }, readers);
      const begin = `${head}{"__deferred":{"uri":"`;
      const json = (row: Row): string => {
        const text = target.text(row);
        if (text === null) return whenNull;
        // A URI holds nothing that JSON escapes.
        return `${begin}${target.uriOf(row, text)}","__KEY":${jsonString(text)}}}`;
      };
      const column = copiedKey(field.key, readers);
      if (column === null) return { kind: 'row', json };
      const values = [
        { head: begin + entityUriHead(field.target.name), form: 'uri', column },
        { head: ')","__KEY":"', form: 'within', column },
      ] as const;
      return { kind: 'row', json, copied: { values, tail: '"}}', whenNull } };
    }
    case 'deferredSelection': {
      if (form === 'array') return null;
      const begin = `${head}{"__deferred":{"uri":"`;
      const end = `${memberUri('', field.name)}"}}`;
      const json = (row: Row): string => {
        const uri = key.uri(row);
        return uri === null ? whenNull : begin + uri + end;
      };
      const column = copiedKey(shape.key, readers);
      if (column === null) return { kind: 'row', json };
      const uriHead = begin + entityUriHead(shape.dataclass.name);
      const values = [{ head: uriHead, form: 'uri', column }] as const;
      return { kind: 'row', json, copied: { values, tail: `)${end}`, whenNull } };
    }
    case 'entity': {
      const parts = entityParts(field.shape, fetch, form);
      const named: Part[] = [{ kind: 'text', text: head }, ...parts];
      return { kind: 'entity', column: field.present, whenNull, parts: named };
    }
    case 'selection':
      return listPart(field, context);
  }
}

/** Writes an image or BLOB (§4.5). `__deferred` holds no key: clients would take it for a relation (DECISIONS, "Answers"). */
function binaryWriter(
  { name, column, type }: Extract<Field, { kind: 'binary' }>,
  { shape, fetch: { readers }, key }: FieldContext,
): (row: Row) => string {
  const present = readerOf(readers, column);
  const stamp = stampReader(shape.stamp, readers);
  const isImage = type === 'image';
  return (row) => {
    const base = key.uri(row);
    if (base === null || present.text(row[column]) !== 'true') return 'null';
    const version = stamp(row);
    const query = isImage ? `$imageformat=best&$version=${version}` : '$binary=true';
    const content = JSON.stringify(memberUri(base, name, query));
    return (
      `{"__KEY":${JSON.stringify(key.text(row))},"__STAMP":${version},"uri":${content},` +
      `"__deferred":{"uri":${content}${isImage ? ',"image":true' : ''}}}`
    );
  };
}

/** A list of related entities: a collection object (§2.3), or an array. */
function listPart(
  field: Extract<Field, { kind: 'selection' }>,
  { fetch, form, key }: FieldContext,
): Part {
  const { name, child } = field;
  const rows = fetch.children[child]?.fetch;
  if (rows === undefined) throw new Error(`relation ${name} is not fetched`);
  const parts = entityParts(rows.shape, rows, form);
  const head = fieldHead(field);
  if (form === 'array') {
    return { kind: 'list', child, parts, head: () => `${head}[`, tail: () => ']' };
  }
  const end = memberUri('', name);
  return {
    kind: 'list',
    child,
    parts,
    head: (row, count, globalStamp) => {
      const base = key.uri(row);
      return (
        `${head}{"__ENTITYSET":${base === null ? 'null' : `"${base}${end}"`},` +
        `"__GlobalStamp":${globalStamp},"__COUNT":${count},"__FIRST":0,"__ENTITIES":[`
      );
    },
    tail: (sent) => `],"__SENT":${sent}}`,
  };
}
