import type { Row } from '../../database/database.ts';
import type { EntitySetPlan } from '../../plan/read/entity-set.ts';
import type { SetPage, SetResult } from '../../run/sets/entity-set.ts';
import type { Layout, RowsPlan } from '../../plan/condition/types.ts';
import { compileDashboard } from '../dashboard-writer.ts';
import { compileEntity, type EntityWriter } from './entity-writer.ts';
import { compileLine } from './export-writer.ts';
import { entitySetUri } from './entity-uri.ts';
import { listWriting, type Writing } from './list-writing.ts';
import { collectionHead, collectionTail } from './read-writer.ts';

/** Writes what a request by way of an entity set found as the JSON text of the answer, text by text. */
export type EntitySetWriter = (result: SetResult) => Writing;

/** What stands for an entity that was deleted (§2.3). */
export const UNDEFINED_REFERENCE = '{"__STAMP":0}';

/**
 * Compiles the writer of a printed request: a collection object, which names the set that was made (§2.3), a bare array, whether
 * two sets intersect (§4.7), or where an entity stands (DECISIONS, "Entity sets in URLs").
 */
export function compileEntitySet(plan: EntitySetPlan): EntitySetWriter {
  const { page } = plan;
  const { name } = plan.dataclass;
  const quoted = JSON.stringify(name);
  const { layout } = plan;
  if (layout.format !== 'json') return compileRows(page, layout);
  const write = compileEntity(page.shape, page, plan.asArray ? 'array' : 'object');
  return function* (result) {
    if (result.kind === 'intersects') {
      yield String(result.value);
      return;
    }
    if (result.kind === 'found') {
      yield JSON.stringify({ result: result.index });
      return;
    }
    yield plan.asArray ? '[' : collectionHead(quoted, result, setMember(name, result));
    yield* writeAll(write, result);
    yield plan.asArray ? ']' : collectionTail(result.rowOf.length);
  };
}

/** The member of a collection object that names its set (§2.3); empty where it names none. */
export function setMember(dataclass: string, { setId }: Pick<SetPage, 'setId'>): string {
  return setId === null ? '' : `"__ENTITYSET":${JSON.stringify(entitySetUri(dataclass, setId))},`;
}

/** Compiles the writer of those entities that are there, for a dashboard or as the lines of an export: rows have no form for an undefined reference. */
function compileRows(page: RowsPlan, layout: Layout): EntitySetWriter {
  const write = compilePresent(page, layout);
  return (result) => {
    if (result.kind !== 'page') throw new Error(`${result.kind} has no rows`);
    return write(result);
  };
}

function compilePresent(page: RowsPlan, layout: Layout): (page: SetPage) => Writing {
  const { format } = layout;
  if (format === 'json') throw new Error('JSON has a writer of its own');
  if (format === 'dashboard') {
    const write = compileDashboard(page, layout);
    return ({ count, first, ...found }) =>
      write({ rows: presentRows(found).map(({ row }) => row), count, first });
  }
  const write = compileLine(page, format);
  return ({ fetched, globalStamp, ...found }) => {
    const answer = { globalStamp, relatedEntities: 0 };
    const rows = presentRows({ fetched, ...found });
    return listWriting(rows, ({ row, index }) => write(row, index, fetched, answer), '');
  };
}

/** The rows of a page, without undefined references. */
export function presentRows({
  fetched,
  rowOf,
}: Pick<SetPage, 'fetched' | 'rowOf'>): { readonly row: Row; readonly index: number }[] {
  return [...rowOf].flatMap((index) => {
    const row = fetched.rows[index];
    return row === undefined ? [] : [{ row, index }];
  });
}

function writeAll(write: EntityWriter, { fetched, rowOf, globalStamp }: SetPage): Writing {
  const answer = { globalStamp, relatedEntities: 0 };
  const one = (index: number): string | Writing => {
    const row = fetched.rows[index];
    if (row === undefined) return UNDEFINED_REFERENCE;
    return (write.steps ?? write)(row, index, fetched, answer);
  };
  return listWriting(rowOf, one, ',');
}
