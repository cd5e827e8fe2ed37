import { spread, time } from './timing.ts';

/** How long the two sides of a ratio took, turn by turn, in milliseconds. */
export interface Sides {
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

/** Times two pieces of work that take turns, after one turn that does not count. */
export async function alternated(
  turns: number,
  ours: (turn: number) => Promise<unknown>,
  theirs: (turn: number) => Promise<unknown>,
): Promise<Sides> {
  const sides = { ours: [] as number[], theirs: [] as number[] };
  for (let turn = 0; turn <= turns; turn += 1) {
    const [one, other] = [await time(() => ours(turn)), await time(() => theirs(turn))];
    if (turn === 0) continue;
    sides.ours.push(one);
    sides.theirs.push(other);
  }
  return sides;
}

/** The median of the ratios of each turn with the least and the most, and the median times of both sides. */
export function shown({ ours, theirs }: Sides): string {
  const ratios = ours.map((one, turn) => one / (theirs[turn] ?? Number.NaN));
  return `${spread(ratios, 2)}, ${spread(ours, 1)} ms / ${spread(theirs, 1)} ms`;
}
