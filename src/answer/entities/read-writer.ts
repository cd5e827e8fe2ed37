import type { ReadPlan } from '../../plan/condition/types.ts';
import type { ReadResult } from '../../run/read/read.ts';
import { stampReader } from '../../run/write/stamp.ts';
import { compileDashboard } from '../dashboard-writer.ts';
import { compileEntity, type EntityWriter } from './entity-writer.ts';
import { compileLine } from './export-writer.ts';
import { listWriting, type Writing } from './list-writing.ts';

/** Writes what a read found as the JSON text of the answer: text by text, or at once where it is short. */
export type ReadWriter = (result: ReadResult) => string | Writing;

/**
 * Compiles the writer of a printed read: a collection object (§2.3), one entity (§2.1), a bare array (§4.2 rule 4), rows for a dashboard (§2.7), or
 * the lines of an export without its head.
 */
export function compileRead(plan: ReadPlan): ReadWriter {
  const { fetch } = plan;
  const name = JSON.stringify(plan.dataclass.name);
  const { format } = plan.layout;
  if (format === 'dashboard') {
    const write = compileDashboard(fetch, plan.layout);
    return ({ fetched: { rows }, count, first }) => write({ rows, count, first });
  }
  if (format !== 'json') {
    const write = compileLine(fetch, format);
    return ({ fetched, globalStamp }) => {
      const answer = { globalStamp, relatedEntities: 0 };
      return listWriting(fetched.rows, (row, index) => write(row, index, fetched, answer), '');
    };
  }
  if (plan.asArray) {
    const write = compileEntity(fetch.shape, fetch, 'array');
    return function* (result) {
      yield '[';
      yield* writeAll(write, result);
      yield ']';
    };
  }
  if (plan.answer === 'entity') {
    const head = `"__entityModel":${name},"__DATACLASS":${name},`;
    const write = compileEntity(fetch.shape, fetch, 'object', { head });
    const one = write.steps ?? write;
    return ({ fetched, globalStamp }) => {
      const [row] = fetched.rows;
      const answer = { globalStamp, relatedEntities: 0 };
      return row === undefined ? 'null' : one(row, 0, fetched, answer);
    };
  }
  const write = compileEntity(fetch.shape, fetch, 'object');
  return function* (result) {
    yield collectionHead(name, result);
    yield* writeAll(write, result);
    yield collectionTail(result.fetched.rows.length);
  };
}

/**
 * The beginning of a collection object (§2.3), up to its entities.
 * @param name of the dataclass, as JSON
 * @param set fields that stand before all others, each with a comma behind it
 */
export function collectionHead(
  name: string,
  { globalStamp, count, first }: Pick<ReadResult, 'globalStamp' | 'count' | 'first'>,
  set = '',
): string {
  return (
    `{${set}"__DATACLASS":${name},"__entityModel":${name},"__GlobalStamp":${globalStamp},` +
    `"__COUNT":${count},"__FIRST":${first},"__ENTITIES":[`
  );
}

/** Its end, behind the entities. @param sent how many these are */
export function collectionTail(sent: number): string {
  return `],"__SENT":${sent}}`;
}

/** The stamp of what a read answers, as digits: null but for one entity that is there, of a dataclass that keeps stamps. */
export type StampOf = (result: ReadResult) => string | null;

/** Compiles the reader of the stamp of what a printed read answers. */
export function compileStamp({ answer, fetch }: ReadPlan): StampOf {
  const { stamp } = fetch.shape;
  if (answer !== 'entity' || stamp.kind === 'none') return () => null;
  const read = stampReader(stamp, fetch.readers);
  return ({
    fetched: {
      rows: [row],
    },
  }) => (row === undefined ? null : read(row));
}

function writeAll(write: EntityWriter, { fetched, globalStamp }: ReadResult): Writing {
  const answer = { globalStamp, relatedEntities: 0 };
  const one = write.steps ?? write;
  return listWriting(fetched.rows, (row, index) => one(row, index, fetched, answer), ',');
}
