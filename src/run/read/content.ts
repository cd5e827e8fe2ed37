import type { Row } from '../../database/database.ts';
import type { ContentPlan } from '../../plan/read/content.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import { checkAddressed } from './read.ts';
import { cellText, type Slice, type StatementSource } from '../run.ts';

/** How many bytes one statement reads: few enough to hold for each client, enough to outweigh the cost of a statement. */
const SLICE = 2 * 1_048_576;

/** How many bytes come with what is known of a value: enough for most pictures of old programs, and to tell what it is. */
const FIRST_SLICE = 65_536;

/** The content of an image or BLOB, which is read in slices. */
export interface Content {
  readonly length: number;
  /** Another one for another content, in letters, digits and hyphens. */
  readonly version: string;
  /** The stamp of the entity, where it is another one for another content; else null. */
  readonly stamp: string | null;
  /** As many of the first bytes as tell what they are. */
  readonly beginning: Buffer;
  /** Reads bytes in slices, a statement each when it is asked for: slow clients keep no connection. @throws ContentChanged */
  readonly slices: (start: number, end: number) => AsyncGenerator<Buffer>;
}

/** The content has changed while it was read. */
export class ContentChanged extends Error {
  constructor() {
    super('the value was changed while it was read');
    this.name = 'ContentChanged';
  }
}

/** Finds the content of an image or BLOB and reads its beginning; null where it is null, or where the path leads to no entity. */
export async function readContent(
  plan: ContentPlan,
  values: readonly Literal[],
  source: StatementSource,
): Promise<Content | null> {
  const { origin, slice, digested } = plan;
  const first = digested ?? slice;
  const read = async (statement: Statement, part: Slice): Promise<Row | undefined> =>
    (await source.run(statement, { values, slice: part }))[0];
  const row = await read(first, { before: 0, length: FIRST_SLICE });
  if (row === undefined) {
    await checkAddressed(origin, plan.addressed, values, source);
    return null;
  }
  const found = identityOf(first, plan, row);
  if (found === null) return null;
  const beginning = bytesOf(slice, plan, row);

  const same = async (statement: Statement, part: Slice): Promise<Buffer> => {
    const now = await read(statement, part);
    const bytes = now === undefined ? null : bytesOf(statement, plan, now);
    // Without a digest there is nothing else to compare but what both statements have.
    const expected = statement === first ? found.version : found.cells;
    const identity = now === undefined ? null : identityOf(statement, plan, now);
    const actual = statement === first ? identity?.version : identity?.cells;
    if (bytes?.length !== part.length || actual !== expected) throw new ContentChanged();
    return bytes;
  };

  return {
    ...found,
    beginning,
    async *slices(start, end) {
      let at = start;
      const known = beginning.subarray(start, end);
      if (known.length > 0) {
        at += known.length;
        yield known;
      }
      while (at < end) {
        const length = Math.min(SLICE, end - at);
        const bytes = await same(slice, { before: at, length });
        at += length;
        // Nothing but the digest tells of changes: nobody is to take what was sent for whole before it is compared.
        if (at === end && digested !== null) await same(digested, { before: 0, length: 0 });
        yield bytes;
      }
    },
  };
}

/** The length of a content, and the cells that change with it. */
interface Identity {
  readonly length: number;
  readonly stamp: string | null;
  readonly version: string;
  /** The version without a digest. */
  readonly cells: string;
}

function identityOf(
  statement: Statement,
  { versions, length, bytes, stamp }: ContentPlan,
  row: Row,
): Identity | null {
  const size = cellText(statement, row, length);
  if (size === null) return null;
  const texts = [...versions, length].map((column) => cellText(statement, row, column) ?? '');
  const digest = cellText(statement, row, bytes + 1);
  const cells = texts.join('-');
  return {
    length: Number(size),
    stamp: stamp === null ? null : cellText(statement, row, stamp),
    version: digest === null ? cells : `${cells}-${digest}`,
    cells,
  };
}

function bytesOf({ readers }: Statement, { bytes }: ContentPlan, row: Row): Buffer {
  const value = row[bytes];
  const read = readers[bytes]?.bytes;
  if (read === undefined) throw new Error('a slice has no reader of bytes');
  return value === null || value === undefined ? Buffer.alloc(0) : read(value);
}
