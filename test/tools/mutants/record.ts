import { addTo } from '../../../src/base/collections.ts';
import type { Mutant } from './mutate.ts';

const OUTCOMES = ['killed', 'timeout', 'survived', 'not reached'] as const;

/** What became of a mutant. */
export interface Tried extends Pick<Mutant, 'file' | 'line' | 'mutator' | 'original' | 'mutated'> {
  readonly outcome: (typeof OUTCOMES)[number];
  /** The file of tests that failed, or did not end; empty where none did. */
  readonly by: string;
}

/** How many characters of a source a record shows. */
const MOST = 100;

/** The top folder of a file of `src/`; the files beside the folders are a room of their own. */
export function roomOf(path: string): string {
  const [, room = '', ...rest] = path.split('/');
  return rest.length > 0 ? room : '.';
}

/** What was run, a table of the rooms, and a line for each mutant; a line changes only with its mutant. */
export function recordOf(facts: readonly string[], tried: readonly Tried[]): string {
  const rooms = [...byRoom(tried)].map(([room, inside]) => [
    room,
    inside.length,
    ...OUTCOMES.map((outcome) => inside.filter((each) => each.outcome === outcome).length),
  ]);
  const mutants = tried
    .toSorted((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
    .map((each) => {
      const { file, line, mutator, outcome, by } = each;
      return [file, line, mutator, ...shortOf(each), outcome, by];
    });
  const lines = [
    ['room', 'sampled', ...OUTCOMES],
    ...rooms,
    ['file', 'line', 'mutator', 'original', 'mutated', 'outcome', 'by'],
    ...mutants,
  ].map((cells) => cells.join('\t'));
  return [...facts, ...lines, ''].join('\n');
}

/** The mutants of a record, with the sources as it shows them. */
export function mutantsIn(record: string): Tried[] {
  return record.split('\n').flatMap((row) => {
    const [file = '', line, mutator = '', original = '', mutated = '', outcome, by = ''] =
      row.split('\t');
    const known = OUTCOMES.find((each) => each === outcome);
    if (known === undefined || !file.startsWith('src/')) return [];
    return [{ file, line: Number(line), mutator, original, mutated, outcome: known, by }];
  });
}

/** The rooms in which a smaller share of the mutants is noticed than in an earlier record, with the mutants that were noticed there. */
export function fewerKilled(before: readonly Tried[], now: readonly Tried[]): string[] {
  const earlier = byRoom(before);
  return [...byRoom(now)].flatMap(([room, inside]) => {
    const old = earlier.get(room) ?? [];
    const [killed, were] = [inside.filter(isNoticed), old.filter(isNoticed)];
    if (killed.length * old.length >= were.length * inside.length) return [];
    const names = new Set(were.map(nameOf));
    const lost = inside.filter((each) => !isNoticed(each) && names.has(nameOf(each)));
    return [
      `${room}: ${killed.length} of ${inside.length} killed, ${were.length} of ${old.length} before`,
      ...lost.map(({ line, ...each }) => `  ${each.file}:${line} ${shortOf(each).join(' → ')}`),
    ];
  });
}

/** Whether a test failed, or did not end. */
export function isNoticed(tried: Tried | undefined): boolean {
  return tried?.outcome === 'killed' || tried?.outcome === 'timeout';
}

type Named = Pick<Tried, 'file' | 'mutator' | 'original' | 'mutated'>;

/** What stays the same where lines move. */
export function nameOf(mutant: Named): string {
  return [mutant.file, mutant.mutator, ...shortOf(mutant)].join('\t');
}

/** The two texts on one line each, from shortly before where they differ. */
export function shortOf({ original, mutated }: Pick<Named, 'original' | 'mutated'>): string[] {
  const texts = [original, mutated].map((text) => text.replace(/\s+/g, ' '));
  const [one = '', other = ''] = texts;
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const from = one.length > MOST && same > MOST / 2 ? same - MOST / 4 : 0;
  return texts.map((text) => {
    const cut = text.slice(from, from + MOST);
    return `${from > 0 ? '…' : ''}${cut}${from + cut.length < text.length ? '…' : ''}`;
  });
}

function byRoom(tried: readonly Tried[]): Map<string, Tried[]> {
  const rooms = new Map<string, Tried[]>();
  for (const each of tried) addTo(rooms, roomOf(each.file), each);
  return new Map([...rooms].sort(([a], [b]) => (a < b ? -1 : 1)));
}
