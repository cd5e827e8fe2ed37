import { ProtocolError } from '../../base/errors.ts';
import type { Row } from '../../database/database.ts';
import type { GroupsPlan } from '../../plan/read/groups.ts';
import { readerOf } from '../run.ts';
import type { SetRequest } from '../sets/set-keys.ts';
import { parameterNumber } from './read.ts';
import { checkOrigin, rowsOf } from './values.ts';

/** A page of groups. */
export interface FoundGroups {
  readonly rows: readonly Row[];
  /** How many groups there are in all. */
  readonly count: number;
  readonly first: number;
}

/**
 * Reads a page of groups: one statement, another where it meets what is no number, or that counts them where the page has none, and for a set those that
 * its keys take.
 * @throws ProtocolError tooManyGroups
 */
export async function runGroups(
  { origin, statement, checked, count, isGrouped, top, skip }: GroupsPlan,
  maxGroups: number,
  request: SetRequest,
): Promise<FoundGroups> {
  const { values } = request;
  const most = parameterNumber(top, values);
  const first = parameterNumber(skip, values);
  // SQL Server refuses to fetch 0 rows.
  let rows = most === 0 ? [] : await rowsOf(origin, statement, request);
  if (checked !== null && rows[0]?.at(-1) === null) rows = await rowsOf(origin, checked, request);
  // One group of all is there even if the path begins with an entity that is not.
  if (rows.length === 0 || !isGrouped) await checkOrigin(origin, request);
  if (rows.length > maxGroups) {
    const message = `There are more than ${maxGroups} groups, the most that one answer has: read them in pages by $top and $skip, leave some out by $filter or $having, or group by what has fewer values.`;
    throw new ProtocolError('tooManyGroups', message);
  }
  const [row] = rows;
  if (row !== undefined) return { rows, first, count: numberIn(statement, row) };
  if (most > 0 && first === 0) return { rows, first, count: 0 };
  const [counted = []] = await rowsOf(origin, count, request);
  return { rows, first, count: numberIn(count, counted) };
}

/** The number in the last column of a row. */
function numberIn({ readers }: GroupsPlan['statement'], row: Row): number {
  const last = readers.length - 1;
  return Number(readerOf(readers, last).text(row[last]));
}
