import type { TimeSlice } from '../../base/time-slice.ts';
import type { EncodedRows, Row } from '../../database/database.ts';
import type { SetPage } from '../../run/sets/entity-set.ts';
import type { EntitySetPlan } from '../../plan/read/entity-set.ts';
import type { FetchedRows, ReadResult } from '../../run/read/read.ts';
import { ByteSink } from './byte-sink.ts';
import { setMember, UNDEFINED_REFERENCE } from './entity-set-writer.ts';
import { collectionHead, collectionTail } from './read-writer.ts';
import { stampReader } from '../../run/write/stamp.ts';
import type {
  EntityShape,
  Field,
  KeyPart,
  ReadPlan,
  RowsPlan,
} from '../../plan/condition/types.ts';
import { isPadded } from '../../schema/type-rules.ts';
import type { Reader } from '../../sql/dialect.ts';
import { entityUriHead, memberUriEnd } from './entity-uri.ts';
import { type AnswerContext, compileField, compileKey, compileUri } from './entity-writer.ts';
import { readerOf } from './columns.ts';
import { compileRow, type RowBytesWriter } from './row-program.ts';
import type { Part } from './row-steps.ts';
import { valueWriter } from '../value-writer.ts';

/** What the rows of a page are that leads to no lists. */
const NO_LISTS: FetchedRows = { rows: [], children: [] };
const NO_STAMP: AnswerContext = { globalStamp: '0', relatedEntities: 0 };

/**
 * Compiles the writer of one entity shape from rows as they came: what a value's bytes tell to be JSON already is copied, all else is decoded and goes the way of
 * {@link compileEntity}, whose text the bytes are.
 * @returns null for what leads to lists, which are read for all rows at once
 */
function compileEncodedEntity(shape: EntityShape, fetch: RowsPlan): RowBytesWriter | null {
  const parts = partsOf(shape, fetch);
  return parts === null ? null : compileRow(parts);
}

function partsOf(shape: EntityShape, fetch: RowsPlan): Part[] | null {
  const { readers } = fetch;
  const context = { shape, fetch, form: 'object', uri: compileUri(shape, readers) } as const;
  const parts: Part[] = [keyOf(shape, readers)];
  if (shape.timestamp !== null) {
    const { json } = readerOf(readers, shape.timestamp);
    parts.push(decoded('"__TIMESTAMP":', shape.timestamp, json, ','));
  }
  parts.push(stampOf(shape, readers));
  for (const field of shape.fields) {
    const name = `,${JSON.stringify(field.name)}:`;
    if (field.kind === 'selection') return null;
    if (field.kind === 'entity') {
      const within = partsOf(field.shape, fetch);
      if (within === null) return null;
      parts.push({
        kind: 'present',
        column: field.present,
        whenNull: `${name}null`,
        parts: [{ kind: 'same', text: name }, ...within],
      });
      continue;
    }
    const write = compileField(field, context);
    if (write === null) continue;
    const asText = (row: Row): string => name + (write(row, 0, NO_LISTS, NO_STAMP) ?? 'null');
    parts.push(fieldOf(field, name, asText, context));
  }
  return [...parts, { kind: 'same', text: '}' }];
}

function fieldOf(
  field: Exclude<Field, { kind: 'entity' | 'selection' }>,
  name: string,
  asText: (row: Row) => string,
  { shape, fetch: { readers } }: { readonly shape: EntityShape; readonly fetch: RowsPlan },
): Part {
  switch (field.kind) {
    case 'value': {
      const { column } = field;
      const reader = readerOf(readers, column);
      const write = valueWriter(reader, field);
      if (write !== reader.json || reader.utf8 === undefined) return decoded(name, column, write);
      const value = { head: name, form: reader.utf8, column };
      return { kind: 'copied', values: [value], tail: '', whenNull: `${name}null`, asText };
    }
    case 'binary':
      return { kind: 'row', asText };
    case 'deferredEntity': {
      const column = keyColumn(field.key, readers);
      if (column === null) return { kind: 'row', asText };
      const uri = `${name}{"__deferred":{"uri":"${entityUriHead(field.target.name)}`;
      return {
        kind: 'copied',
        values: [
          { head: uri, form: 'address', column },
          { head: ')","__KEY":"', form: 'within', column },
        ],
        tail: '"}}',
        whenNull: `${name}null`,
        asText,
      };
    }
    case 'deferredSelection': {
      const column = keyColumn(shape.key, readers);
      if (column === null) return { kind: 'row', asText };
      const uri = `${name}{"__deferred":{"uri":"${entityUriHead(shape.dataclass.name)}`;
      return {
        kind: 'copied',
        values: [{ head: uri, form: 'address', column }],
        tail: `)${memberUriEnd(field.name)}"}}`,
        whenNull: `${name}null`,
        asText,
      };
    }
  }
}

/** `{"__KEY":"…",`. */
function keyOf(shape: EntityShape, readers: readonly Reader[]): Part {
  if (shape.key.length === 0) return { kind: 'same', text: '{' };
  const write = compileKey(shape, readers, 'object');
  const asText = (row: Row): string => `{${write(row)}`;
  const column = keyColumn(shape.key, readers);
  if (column === null) return { kind: 'row', asText };
  const value = { head: '{"__KEY":"', form: 'within', column } as const;
  return { kind: 'copied', values: [value], tail: '",', asText };
}

function stampOf({ stamp }: Pick<EntityShape, 'stamp'>, readers: readonly Reader[]): Part {
  const read = stampReader(stamp, readers);
  const head = '"__STAMP":';
  const asText = (row: Row): string => head + read(row);
  if (stamp.kind === 'none') return { kind: 'same', text: asText([]) };
  if (stamp.kind === 'hash' || readerOf(readers, stamp.column).utf8 !== 'integer') {
    return { kind: 'row', asText };
  }
  const value = { head, form: 'integer', column: stamp.column } as const;
  return { kind: 'copied', values: [value], tail: '', asText };
}

/** A value that has to be read, with what stands around it. */
function decoded(head: string, column: number, write: (value: string) => string, tail = ''): Part {
  return {
    kind: 'decoded',
    column,
    whenNull: `${head}null${tail}`,
    asText: (value) => head + write(value) + tail,
  };
}

/** The column of a key whose text is the value as it came; null of all other keys. */
function keyColumn(key: readonly KeyPart[], readers: readonly Reader[]): number | null {
  const [only, ...more] = key;
  if (only === undefined || more.length > 0 || isPadded(only.type)) return null;
  const { utf8 } = readerOf(readers, only.column);
  return utf8 === undefined || utf8 === 'truth' ? null : only.column;
}

/** A collection that is written from rows as they came. */
export interface EncodedPage extends Pick<ReadResult, 'count' | 'first'> {
  readonly rows: EncodedRows;
  /** What is written in the place of the `__GlobalStamp`. */
  readonly globalStamp: string;
}

/** A page of an entity set that is written from rows as they came, in the order of their places. */
export interface EncodedSetPage extends EncodedPage, Pick<SetPage, 'rowOf' | 'setId'> {}

/**
 * Writes a collection object (§2.3) in slices, as its bytes.
 * @param before how many bytes are left free before the first one
 * @throws ProtocolError answerTooLarge, and the reason of the slice's signal
 */
export type EncodedWriter<Page extends EncodedPage> = (
  page: Page,
  before: number,
  slice: TimeSlice,
) => Promise<readonly Buffer[]>;

/** How many bytes are written between two looks at the time. */
const TOGETHER = 16_384;

/** Compiles the writer of a printed read from rows as they came; null for what is not answered by a collection of entities without lists. */
export function compileEncodedRead(plan: ReadPlan): EncodedWriter<EncodedPage> | null {
  const { fetch } = plan;
  if (plan.layout.format !== 'json' || plan.asArray || plan.answer === 'entity') return null;
  const write = compileEncodedEntity(fetch.shape, fetch);
  if (write === null) return null;
  const name = JSON.stringify(plan.dataclass.name);
  return async ({ rows, count, first, globalStamp }, before, slice) => {
    const sink = new ByteSink(before);
    sink.text(collectionHead(name, { globalStamp, count, first }));
    const cursor = rows.cursor();
    let looked = sink.at;
    for (let follows = false; cursor.next(); follows = true) {
      write(sink, cursor, follows);
      if (!isDue(sink, looked)) continue;
      if (slice.isOver()) await slice.pause();
      looked = sink.at;
    }
    sink.text(collectionTail(rows.length));
    return sink.pieces();
  };
}

/** The same of a printed request by way of an entity set that makes none. */
export function compileEncodedSet(plan: EntitySetPlan): EncodedWriter<EncodedSetPage> | null {
  const { page } = plan;
  if (plan.layout.format !== 'json' || plan.asArray || plan.lifetime !== null) return null;
  const write = compileEncodedEntity(page.shape, page);
  if (write === null) return null;
  const { name } = plan.dataclass;
  const quoted = JSON.stringify(name);
  return async ({ rows, rowOf, setId, count, first, globalStamp }, before, slice) => {
    const sink = new ByteSink(before);
    sink.text(collectionHead(quoted, { globalStamp, count, first }, setMember(name, { setId })));
    const cursor = rows.cursor();
    let looked = sink.at;
    for (const [place, row] of rowOf.entries()) {
      if (row === -1) sink.text(place === 0 ? UNDEFINED_REFERENCE : `,${UNDEFINED_REFERENCE}`);
      else if (cursor.next()) write(sink, cursor, place > 0);
      if (!isDue(sink, looked)) continue;
      if (slice.isOver()) await slice.pause();
      looked = sink.at;
    }
    sink.text(collectionTail(rowOf.length));
    return sink.pieces();
  };
}

/** Whether it is to be looked at the time: enough was written since, or another piece was begun. */
function isDue(sink: ByteSink, looked: number): boolean {
  return sink.at < looked || sink.at - looked >= TOGETHER;
}
