import type { TimeSlice } from '../../base/time.ts';
import type { EncodedRows } from '../../database/database.ts';
import type { EntitiesPlan, ReadPlan, RowsPlan } from '../../plan/condition/types.ts';
import type { Dataclass } from '../../model/types.ts';
import type { ReadResult } from '../../run/read/read.ts';
import type { SetPage, SetResult } from '../../run/sets/entity-set.ts';
import type { EntitySetPlan } from '../../plan/read/entity-set.ts';
import { stampReader } from '../../run/run.ts';
import { ByteSink } from './byte-sink.ts';
import { compileBytes } from './entity-bytes.ts';
import { entityParts } from './entity-parts.ts';
import { entitySetUri } from './entity-uri.ts';
import {
  compileEntity,
  type EntityWriter,
  inOrder,
  listWriting,
  type Writing,
} from './entity-writer.ts';
import { compileCsv, compileDashboard } from './table-writer.ts';

/** A page of entities. */
export interface Page
  extends Omit<ReadResult, 'encoded'>, Partial<Pick<SetPage, 'rowOf' | 'setId'>> {}

/** Writes a collection in any layout; a long one is written slice by slice. */
export interface CollectionWriter {
  readonly head: (page: PageHead) => string;
  readonly entities: (page: Pick<Page, 'fetched' | 'globalStamp' | 'rowOf'>) => WrittenEntities;
  /** @param sent how many entities were written */
  readonly tail: (page: PageHead, sent: number) => string;
}

type PageHead = Omit<Page, 'fetched'>;

/** Entities with the layout's separator between them, and how many they are. */
interface WrittenEntities {
  readonly writing: Writing;
  readonly sent: number;
}

/** Stands for a deleted entity of a set (§2.3). */
const UNDEFINED_REFERENCE = '{"__STAMP":0}';

/** A layout: the texts around its entities, and the writer of one. */
interface CompiledLayout extends Pick<CollectionWriter, 'head' | 'tail'> {
  readonly write: EntityWriter;
  readonly separator: string;
}

function compileLayout(plan: EntitiesPlan, rows: RowsPlan): CompiledLayout {
  const { layout, asArray } = plan;
  const write = (form: 'object' | 'array'): EntityWriter => compileEntity(rows.shape, rows, form);
  switch (layout.format) {
    case 'json':
      if (asArray)
        return { head: () => '[', write: write('array'), separator: ',', tail: () => ']' };
      return { ...collectionObject(plan), write: write('object'), separator: ',' };
    case 'dashboard': {
      const { head, row } = compileDashboard(rows);
      const tail: CollectionWriter['tail'] = ({ count, first }) =>
        `],"filtersApplied":${layout.isFiltered},${countMember(plan, count)}"__FIRST":${first}}`;
      return { head: () => head, write: row, separator: ',', tail };
    }
    case 'csv':
    case 'spreadsheet': {
      const { head, row } = compileCsv(rows, layout.format);
      return { head: () => head, write: row, separator: '', tail: () => '' };
    }
    case 'ndjson':
      return { head: () => '', write: lineWriter(write('array')), separator: '', tail: () => '' };
  }
}

function lineWriter(write: EntityWriter): EntityWriter {
  return (row, index, from, answer) => {
    const written = write(row, index, from, answer);
    return typeof written === 'string' ? `${written}\n` : inOrder([written, '\n']);
  };
}

function countMember({ layout }: EntitiesPlan, count: number): string {
  return layout.isCounted ? `"__COUNT":${count},` : '';
}

/** The texts of a collection object (§2.3). */
function collectionObject(plan: EntitiesPlan): Pick<CollectionWriter, 'head' | 'tail'> {
  const { name } = plan.dataclass;
  const quoted = JSON.stringify(name);
  return {
    head: ({ globalStamp, count, first, setId = null }) => {
      const set =
        setId === null ? '' : `"__ENTITYSET":${JSON.stringify(entitySetUri(name, setId))},`;
      return (
        `{${set}"__DATACLASS":${quoted},"__entityModel":${quoted},"__GlobalStamp":${globalStamp},` +
        `${countMember(plan, count)}"__FIRST":${first},"__ENTITIES":[`
      );
    },
    tail: (_page, sent) => `],"__SENT":${sent}}`,
  };
}

/** Compiles the writer of a collection; `undefinedReferences` says how deleted entities of a set are written, which only JSON can. */
function compileCollection(
  plan: EntitiesPlan,
  rows: RowsPlan,
  undefinedReferences: 'shown' | 'skipped',
): CollectionWriter {
  const { head, tail, write, separator } = compileLayout(plan, rows);
  const isShown = undefinedReferences === 'shown' && plan.layout.format === 'json';
  return {
    head,
    tail,
    entities: ({ fetched, globalStamp, rowOf }) => {
      const { rows } = fetched;
      const answer = { globalStamp, relatedEntities: 0 };
      const one = (index: number): string | Writing => {
        const row = rows[index];
        return row === undefined ? UNDEFINED_REFERENCE : write(row, index, fetched, answer);
      };
      if (rowOf === undefined) {
        return { writing: listWriting(rows.keys(), one, separator), sent: rows.length };
      }
      const shown = isShown ? rowOf : rowOf.filter((index) => rows[index] !== undefined);
      return { writing: listWriting(shown, one, separator), sent: shown.length };
    },
  };
}

function* wholeCollection({ head, entities, tail }: CollectionWriter, page: Page): Writing {
  yield head(page);
  const { writing, sent } = entities(page);
  yield* writing;
  yield tail(page, sent);
}

/** Compiles the writer of a read: a collection, or one entity (§2.1). */
export function compileRead(plan: ReadPlan): (result: ReadResult) => string | Writing {
  if (plan.answer === 'entity' && plan.layout.format === 'json' && !plan.asArray) {
    return compileOne(plan.dataclass, plan.fetch, 'null');
  }
  const collection = compileCollection(plan, plan.fetch, 'shown');
  return (result) => wholeCollection(collection, result);
}

/** Compiles the writer of a page's first entity as an answer of its own. @param missing the answer where there is none */
export function compileOne(
  { name }: Dataclass,
  rows: RowsPlan,
  missing: string,
): (page: Page) => string | Writing {
  const quoted = JSON.stringify(name);
  const head = `"__entityModel":${quoted},"__DATACLASS":${quoted},`;
  const write = compileEntity(rows.shape, rows, 'object', { head });
  return ({ fetched, rowOf, globalStamp }) => {
    const index = rowOf === undefined ? 0 : (rowOf[0] ?? -1);
    const row = fetched.rows[index];
    const answer = { globalStamp, relatedEntities: 0 };
    return row === undefined ? missing : write(row, index, fetched, answer);
  };
}

/** Compiles the reader of the stamp, as digits, of the one entity that a read answers; null without one, or where it keeps no stamps. */
export function compileStamp({ answer, fetch }: ReadPlan): (result: ReadResult) => string | null {
  const { stamp } = fetch.shape;
  if (answer !== 'entity' || stamp.kind === 'none') return () => null;
  const read = stampReader(stamp, fetch.readers);
  return ({ fetched: { rows } }) => (rows[0] === undefined ? null : read(rows[0]));
}

/** Compiles the writer of a request for an entity set: a collection (§2.3), whether two sets intersect (§4.7), or the index of an entity. */
export function compileEntitySet(plan: EntitySetPlan): (result: SetResult) => string | Writing {
  const collection = compileCollection(plan, plan.page, 'shown');
  return (result) => {
    switch (result.kind) {
      case 'intersects':
        return String(result.value);
      case 'found':
        return JSON.stringify({ result: result.index });
      case 'page':
        return wholeCollection(collection, result);
    }
  };
}

/** Writes a long page or an export, whose entities are read slice by slice. */
export interface SliceWriter extends CollectionWriter {
  /** Writes entities from rows as they came; null where they are not made of their rows alone. @param follows whether others stand before them */
  readonly encoded:
    ((rows: EncodedSlice, follows: boolean, slice: TimeSlice) => Promise<WrittenBytes>) | null;
}

/** Rows as they came, and the positions of those of an entity set. */
interface EncodedSlice extends Pick<Page, 'rowOf'> {
  readonly rows: EncodedRows;
  /** Behind so many bytes no more are written; left out where all are. */
  readonly enough?: number | undefined;
}

interface WrittenBytes {
  readonly parts: readonly Buffer[];
  readonly sent: number;
}

/** Compiles the writer of a long page or an export. */
export function compileSlices(plan: EntitiesPlan, rows: RowsPlan): SliceWriter {
  const collection = compileCollection(plan, rows, 'skipped');
  const write = compileRows(plan, rows);
  if (write === null) return { encoded: null, ...collection };
  return {
    encoded: async (page, follows, slice) => {
      const sink = new ByteSink(0);
      const sent = await write(sink, page, follows, slice);
      return { parts: sink.pieces(), sent };
    },
    ...collection,
  };
}

/** A page whose rows are still as they came. */
export interface EncodedPage extends PageHead, EncodedSlice {}

/** Writes a collection object (§2.3) as bytes, in time slices, behind `before` free bytes. @throws ProtocolError answerTooLarge */
export type EncodedWriter = (
  page: EncodedPage,
  before: number,
  slice: TimeSlice,
) => Promise<readonly Buffer[]>;

/** Compiles the writer of a read from rows as they came; null where the answer is not a collection object made of its rows alone. */
export function compileEncodedRead(plan: ReadPlan): EncodedWriter | null {
  return plan.answer === 'entity' ? null : compileEncoded(plan, plan.fetch);
}

/** Compiles the same for a request for an entity set; null also where it makes a set. */
export function compileEncodedSet(plan: EntitySetPlan): EncodedWriter | null {
  return plan.lifetime === null ? compileEncoded(plan, plan.page) : null;
}

/** How many bytes are written between two looks at the clock. */
const TOGETHER = 16_384;

function compileEncoded(plan: EntitiesPlan, fetch: RowsPlan): EncodedWriter | null {
  if (plan.layout.format !== 'json' || plan.asArray) return null;
  const write = compileRows(plan, fetch, UNDEFINED_REFERENCE);
  if (write === null) return null;
  const { head, tail } = collectionObject(plan);
  return async (page, before, slice) => {
    const sink = new ByteSink(before);
    sink.text(head(page));
    const sent = await write(sink, page, false, slice);
    sink.text(tail(page, sent));
    return sink.pieces();
  };
}

/** Writes rows as they came, in time slices. @param follows whether others stand before them @returns how many entities were written */
type RowsWriter = (
  sink: ByteSink,
  rows: EncodedSlice,
  follows: boolean,
  slice: TimeSlice,
) => Promise<number>;

/** Compiles the writer of rows as JSON or lines of JSON. @param undefinedReference stands for a deleted entity of a set; left out where that is skipped */
function compileRows(
  { layout: { format }, asArray }: EntitiesPlan,
  fetch: RowsPlan,
  undefinedReference?: string,
): RowsWriter | null {
  const isLine = format === 'ndjson';
  if (format !== 'json' && !isLine) return null;
  const parts = entityParts(fetch.shape, fetch, asArray || isLine ? 'array' : 'object');
  const write = compileBytes(isLine ? [...parts, { kind: 'text', text: '\n' }] : parts);
  if (write === null) return null;
  return async (sink, { rows, rowOf, enough = Infinity }, follows, slice) => {
    const cursor = rows.cursor();
    const length = rowOf?.length ?? rows.length;
    let sent = 0;
    let looked = sink.at;
    for (let index = 0; index < length; index += 1) {
      const isNext = !isLine && (follows || sent > 0);
      if (rowOf?.[index] === -1) {
        if (undefinedReference === undefined) continue;
        sink.text(`${isNext ? ',' : ''}${undefinedReference}`);
      } else if (cursor.next()) write(sink, cursor, isNext);
      sent += 1;
      if (sink.at > enough) break;
      // Where another piece was begun, the offset is smaller.
      if (sink.at >= looked && sink.at - looked < TOGETHER) continue;
      if (slice.isOver()) await slice.pause();
      looked = sink.at;
    }
    return sent;
  };
}
