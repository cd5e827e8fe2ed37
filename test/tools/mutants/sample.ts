import { createHash } from 'node:crypto';
import { addTo } from '../../../src/base/collections.ts';
import type { Mutant } from './mutate.ts';
import { nameOf, roomOf, type Tried } from './record.ts';

/** A file that mutants are made of. */
export interface SourceFile {
  readonly path: string;
  readonly lines: number;
  readonly mutants: readonly Mutant[];
}

/**
 * The mutants that a seed draws: each room has as many as its share of the lines. A mutant is drawn by what it is, whatever else there is: another source
 * keeps most of the sample.
 */
export function sampleOf(files: readonly SourceFile[], size: number, seed: number): Mutant[] {
  const rooms = new Map<string, SourceFile[]>();
  for (const file of files) addTo(rooms, roomOf(file.path), file);
  const lines = files.reduce((sum, file) => sum + file.lines, 0);
  const shares = [...rooms].map(([room, inside]) => {
    const share = (size * inside.reduce((sum, file) => sum + file.lines, 0)) / lines;
    return { room, inside, most: Math.floor(share), rest: share % 1 };
  });
  let left = size - shares.reduce((sum, { most }) => sum + most, 0);
  return shares
    .toSorted((a, b) => b.rest - a.rest || (a.room < b.room ? -1 : 1))
    .flatMap(({ inside, most }) => {
      const count = left-- > 0 ? most + 1 : most;
      return drawn(
        inside.flatMap(({ mutants }) => mutants),
        count,
        seed,
      );
    });
}

/** The mutants of an earlier record that the source still has, wherever in their files they stand now. */
export function sampleLike(files: readonly SourceFile[], record: readonly Tried[]): Mutant[] {
  const byName = new Map<string, Mutant[]>();
  for (const mutant of files.flatMap(({ mutants }) => mutants)) {
    addTo(byName, nameOf(mutant), mutant);
  }
  return record.flatMap((each) => byName.get(nameOf(each))?.shift() ?? []);
}

function drawn(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const times = new Map<string, number>();
  return mutants
    .map((mutant) => {
      const text = [mutant.file, mutant.mutator, mutant.original, mutant.mutated].join('\n');
      const time = (times.get(text) ?? 0) + 1;
      times.set(text, time);
      const hash = createHash('sha256').update(`${seed}\n${time}\n${text}`).digest('hex');
      return { mutant, hash };
    })
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}
