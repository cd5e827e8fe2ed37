import type { Row } from '../database/database.ts';
import type { Dataclass } from '../model/types.ts';
import type { Statement } from '../sql/dialect.ts';
import { keyId } from './current-rows.ts';
import { cellText } from './run.ts';

/** The keys that a statement returns of the rows it changed, each as the text that {@link keyId} makes. */
export function affectedKeys(
  statement: Statement,
  rows: readonly Row[],
  { key }: Dataclass,
): ReadonlySet<string> {
  return new Set(rows.map((row) => keyId(key.map((_, part) => cellText(statement, row, part)))));
}
