import { isEngineStamp, type Dataclass, type StorageAttribute } from '../../../model/types.ts';
import { isFolded } from '../../../plan/condition/keys.ts';
import { heldColumns } from '../../../plan/write/write-queries.ts';
import type { RowLock } from '../../../sql/ir/ir.ts';
import type { Column } from '../../../schema/types.ts';
import type { KeyTexts } from '../../body/body-key.ts';
import type { Attempt } from '../../write/attempt.ts';
import { cellJson, cellText } from '../../run.ts';
import { stampReader } from '../../write/stamp.ts';

/** What a row holds before it is changed. */
export interface CurrentRow {
  readonly key: KeyTexts;
  readonly stamp: string;
  /** Whether it may be changed as is planned, by whoever asks. */
  readonly isPermitted: boolean;
  /** What a column holds, by its name; null for null. */
  readonly column: (name: string) => string | null;
  /** What is answered of a column, by its name, as JSON text; null where that is not known. */
  readonly json: (name: string) => string | null;
}

/**
 * As {@link currentRows}, of the entities that a request addresses. A unique attribute whose case is folded is compared as
 * reads compare it: as it is written and, where that is nobody's, in one case, for the first entity in the order of the keys.
 */
export async function addressedRows(
  keys: readonly KeyTexts[],
  columns: readonly Column[],
  lock: RowLock | null,
  attempt: Attempt,
): Promise<(CurrentRow | null)[]> {
  const { attributes, unique } = attempt;
  const rows = await currentRows(attributes, keys, columns, lock, attempt);
  if (unique === null || !attributes.every(isFolded)) return rows;
  const missing = keys.filter((_, at) => rows[at] === null);
  const folded = await currentRows(attributes, missing, columns, lock, attempt, 'folded');
  return rows.map((row) => row ?? folded.shift() ?? null);
}

/**
 * Reads what rows hold before they are changed, all by one statement, and locks them where the engine can lock them.
 * @param attributes those whose values address the rows
 * @param columns what of the rows is compared with what they are given
 * @param lock what is to be done with them, in the transaction that they are then locked for; null where they are not locked
 * @param comparison whether the values are compared as their columns compare, or in one case
 * @returns for each key its row, the first in the order of the keys; null where there is none
 */
export async function currentRows(
  attributes: readonly StorageAttribute[],
  keys: readonly KeyTexts[],
  columns: readonly Column[],
  lock: RowLock | null,
  { statements, source }: Attempt,
  comparison: 'exact' | 'folded' = 'exact',
): Promise<(CurrentRow | null)[]> {
  if (keys.length === 0) return [];
  const { plan, statement } = statements.current(attributes, columns, lock, comparison);
  const stampOf = stampReader(plan.stamp, statement.readers);
  const found = keys.map((): CurrentRow | null => null);
  for (const row of await source.run(statement, { rows: keys })) {
    found[Number(row[0])] ??= {
      key: plan.key.map((index) => cellText(statement, row, index) ?? ''),
      stamp: stampOf(row),
      isPermitted: plan.permitted === null || cellText(statement, row, plan.permitted) === 'true',
      column: (name) => {
        const presence = plan.presences.get(name);
        // The bytes of an image or BLOB are not read: they equal nothing that it is given.
        if (presence !== undefined)
          return cellText(statement, row, presence) === 'true' ? '' : null;
        const index = plan.columns.get(name);
        if (index === undefined) throw new Error(`column ${name} was not read`);
        return cellText(statement, row, index);
      },
      json: (name) => {
        const index = plan.columns.get(name);
        return index === undefined ? null : cellJson(statement, row, index);
      },
    };
  }
  return found;
}

/** Equal for equal keys. */
export function keyId(key: readonly (string | null)[]): string {
  return JSON.stringify(key);
}

/**
 * By what the statement that changes a row knows the version of it that was read, whatever locks the engine holds: the stamp, or what the columns of a hash
 * held; null for any version.
 */
export function readVersion(
  stamp: string | null,
  { column }: CurrentRow,
  dataclass: Dataclass,
): readonly (string | null)[] | null {
  if (stamp === null || dataclass.stamp.kind === 'none') return null;
  if (isEngineStamp(dataclass.stamp)) return [stamp];
  const held = heldColumns(dataclass).map(({ name }) => column(name));
  // Half a surrogate pair does not come back as it was read.
  return held.every((text) => text === null || text.isWellFormed()) ? held : null;
}
