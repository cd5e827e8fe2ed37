import type { PrintedRead } from '../execute/print.ts';
import type { ReadResult } from '../execute/read.ts';
import { stampReader } from '../execute/stamp.ts';
import { compileDashboard } from './dashboard-writer.ts';
import { compileEntity, type EntityWriter } from './entity-writer.ts';
import { compileLine } from './line-writer.ts';

/** Writes what a read found as the JSON text of the answer. */
export type ReadWriter = (result: ReadResult) => string;

/**
 * Compiles the writer of a printed read: a collection object (§2.3), one entity (§2.1), a bare array (§4.2 rule 4), rows for a dashboard (§2.7), or
 * the lines of an export without its head.
 */
export function compileRead(printed: PrintedRead): ReadWriter {
  const { plan, fetch } = printed;
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
      return fetched.rows.map((row, index) => write(row, index, fetched, answer)).join('');
    };
  }
  if (plan.asArray) {
    const write = compileEntity(fetch.shape, fetch, 'array');
    return (result) => `[${writeAll(write, result)}]`;
  }
  if (plan.answer === 'entity') {
    const head = `"__entityModel":${name},"__DATACLASS":${name},`;
    const write = compileEntity(fetch.shape, fetch, 'object', { head });
    return ({ fetched, globalStamp }) => {
      const [row] = fetched.rows;
      return row === undefined
        ? 'null'
        : write(row, 0, fetched, { globalStamp, relatedEntities: 0 });
    };
  }
  const write = compileEntity(fetch.shape, fetch, 'object');
  return (result) =>
    `{"__DATACLASS":${name},"__entityModel":${name},"__GlobalStamp":${result.globalStamp},` +
    `"__COUNT":${result.count},"__FIRST":${result.first},` +
    `"__ENTITIES":[${writeAll(write, result)}],"__SENT":${result.fetched.rows.length}}`;
}

/** The stamp of what a read answers, as digits: null but for one entity that is there, of a dataclass that keeps stamps. */
export type StampOf = (result: ReadResult) => string | null;

/** Compiles the reader of the stamp of what a printed read answers. */
export function compileStamp({ plan, fetch }: PrintedRead): StampOf {
  const { stamp } = fetch.shape;
  if (plan.answer !== 'entity' || stamp.kind === 'none') return () => null;
  const read = stampReader(stamp, fetch.readers);
  return ({
    fetched: {
      rows: [row],
    },
  }) => (row === undefined ? null : read(row));
}

function writeAll(write: EntityWriter, { fetched, globalStamp }: ReadResult): string {
  const answer = { globalStamp, relatedEntities: 0 };
  return fetched.rows.map((row, index) => write(row, index, fetched, answer)).join(',');
}
