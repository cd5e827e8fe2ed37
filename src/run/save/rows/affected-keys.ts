import type { Row } from '../../../database/database.ts';
import type { Dataclass } from '../../../model/types.ts';
import type { Statement } from '../../../sql/dialect.ts';
import type { KeyTexts } from '../../body/body-key.ts';
import { keyId } from './current-rows.ts';
import { cellText } from '../../run.ts';

/** The key that a statement returns of a row, in key order. */
export function returnedKey(statement: Statement, row: Row, { key }: Dataclass): KeyTexts {
  return key.map((_, part) => cellText(statement, row, part) ?? '');
}

/** The keys that a statement returns, each made of its row when it is asked for. */
export function* returnedKeys(
  statement: Statement,
  rows: readonly Row[],
  dataclass: Dataclass,
): Generator<KeyTexts> {
  for (const row of rows) yield returnedKey(statement, row, dataclass);
}

/** The keys that a statement returns of the rows it changed, each as the text that {@link keyId} makes. */
export function affectedKeys(
  statement: Statement,
  rows: readonly Row[],
  dataclass: Dataclass,
): ReadonlySet<string> {
  return new Set(rows.map((row) => keyId(returnedKey(statement, row, dataclass))));
}
