import type { TimeSlice } from '../../base/time-slice.ts';
import type { EncodedRows } from '../../database/database.ts';
import type { SetPage } from '../../run/sets/entity-set.ts';
import type { PrintedEntitySet } from '../../run/sets/print-entity-set.ts';
import type { PrintedRead } from '../../run/read/print-read.ts';
import type { ReadResult } from '../../run/read/read.ts';
import { ByteSink } from './byte-sink.ts';
import { compileEncodedEntity } from './encoded-entity-writer.ts';
import { setMember, UNDEFINED_REFERENCE } from './entity-set-writer.ts';
import { collectionHead, collectionTail } from './read-writer.ts';

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
export function compileEncodedRead({
  plan,
  fetch,
}: PrintedRead): EncodedWriter<EncodedPage> | null {
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
export function compileEncodedSet({
  plan,
  page,
}: PrintedEntitySet): EncodedWriter<EncodedSetPage> | null {
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
