import type { RowHash } from '../../src/base/row-hash.ts';

/** The hash of a row. @param add adds a cell that is not null */
export function hashed(
  cells: readonly (string | null)[],
  hash: RowHash,
  add = (to: RowHash, cell: string): void => {
    to.addText(cell);
  },
): number {
  hash.begin();
  for (const cell of cells) {
    if (cell === null) hash.addNull();
    else add(hash, cell);
  }
  return hash.end();
}
