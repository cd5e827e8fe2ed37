/**
 * `npx tsx test/tools/bench/entity-set-room.ts [keys] [rounds]`: how long it takes to combine two sets, beside copying the arrays of their keys: as a
 * block of memory (`slice`), and element for element. All take turns. Beside it stands for how long others had to wait for their turn at
 * most, how fast keys are added, and how long it takes merely to write and to read as many places of a hash table in no order.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { KeyListBuilder } from '../../../src/state/entity-set/builder.ts';
import { combined } from '../../../src/state/entity-set/combine.ts';
import { NumberChunk, PackedChunk } from '../../../src/state/entity-set/keys.ts';
import { slotsFor } from '../../../src/state/entity-set/members.ts';
import { MemoryEntitySets } from '../../../src/state/entity-set/memory-entity-sets.ts';
import type { KeyKind, KeyList } from '../../../src/state/entity-set/keys.ts';
import { SetIds } from '../../../src/state/entity-set/store.ts';
import { median, spread, time } from './timing.ts';

const size = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 15);

const store = new MemoryEntitySets(
  { maxBytes: 2 ** 32, maxSetBytes: 2 ** 31, maxPerOwner: 1 },
  new SetIds(''),
);
const { signal } = new AbortController();

/** The keys of two sets, half of which are in both. */
function overlapping(
  kind: KeyKind,
  keyAt: (index: number) => string,
  shuffled: boolean,
): KeyList[] {
  return [0, size >> 1].map((from) => {
    const texts = Array.from({ length: size }, (_, index) => keyAt(from + index));
    return listOf(kind, shuffled ? shuffle(texts) : texts);
  });
}

function listOf(kind: KeyKind, texts: readonly string[]): KeyList {
  const workspace = store.workspace();
  const builder = new KeyListBuilder(kind, workspace);
  for (const text of texts) builder.addInteger(text);
  workspace.close();
  return builder.finish();
}

function shuffle(texts: string[]): string[] {
  for (let index = texts.length - 1; index > 0; index -= 1) {
    const other = randomInt(index + 1);
    [texts[index], texts[other]] = [texts[other] ?? '', texts[index] ?? ''];
  }
  return texts;
}

/** The keys of two sets, half of which are in both, of random texts. The texts are garbage when it is done. */
function distinct(kind: KeyKind, make: () => string, ascending: boolean): KeyList[] {
  const texts = new Set<string>();
  while (texts.size < 1.5 * size) texts.add(make());
  const all = [...texts];
  if (ascending) all.sort((a, b) => Number(a) - Number(b));
  return overlapping(kind, (index) => all[index] ?? '', false);
}

function randomNumber(): string {
  return String(randomInt(2 ** 31));
}

type Elements = Int32Array | Uint8Array | Uint32Array;

/** The keys of a list as one would keep them without chunks. */
function arraysOf(list: KeyList): Elements[] {
  const whole = (parts: readonly Elements[], made: Elements): Elements => {
    let end = 0;
    for (const part of parts) {
      made.set(part, end);
      end += part.length;
    }
    return made;
  };
  const lengthOf = (parts: readonly Elements[]): number =>
    parts.reduce((length, part) => length + part.length, 0);
  const numbers = list.chunks.flatMap((chunk) =>
    chunk instanceof NumberChunk ? [Int32Array.from(chunk.values)] : [],
  );
  if (numbers.length > 0) return [whole(numbers, new Int32Array(lengthOf(numbers)))];
  const packed = list.chunks.filter((chunk) => chunk instanceof PackedChunk);
  const contents = packed.map(({ content }) => content);
  const ends = packed.map((chunk) => chunk.ends);
  return [
    whole(contents, new Uint8Array(lengthOf(contents))),
    whole(ends, new Uint32Array(lengthOf(ends))),
  ];
}

function copyElements(array: Elements): Elements {
  const { length } = array;
  if (array instanceof Int32Array) {
    const copy = new Int32Array(length);
    for (let index = 0; index < length; index += 1) copy[index] = array[index] ?? 0;
    return copy;
  }
  const copy = array instanceof Uint8Array ? new Uint8Array(length) : new Uint32Array(length);
  for (let index = 0; index < length; index += 1) copy[index] = array[index] ?? 0;
  return copy;
}

/** Times of pieces of work that take turns, in milliseconds, and for how long others waited for their turn meanwhile. */
class Timings {
  readonly times: number[] = [];
  longestBlock = 0;

  async measure(work: () => unknown): Promise<void> {
    let [running, last] = [true, performance.now()];
    const tick = (): void => {
      const now = performance.now();
      this.longestBlock = Math.max(this.longestBlock, now - last);
      last = now;
      if (running) setImmediate(tick);
    };
    setImmediate(tick);
    this.times.push(await time(work));
    running = false;
    await new Promise(setImmediate);
  }
}

async function compare(name: string, [first, second]: KeyList[]): Promise<void> {
  if (first === undefined || second === undefined) return;
  const arrays = [...arraysOf(first), ...arraysOf(second)];
  const operators = ['and', 'or', 'except'] as const;
  const block = new Timings();
  const elements = new Timings();
  const timings = operators.map(() => new Timings());
  for (let round = -3; round < rounds; round += 1) {
    if (round === 0)
      for (const each of [block, elements, ...timings])
        Object.assign(each, { longestBlock: 0 }).times.length = 0;
    await block.measure(() => arrays.map((array) => array.slice()));
    await elements.measure(() => arrays.map(copyElements));
    for (const [index, operator] of operators.entries()) {
      const workspace = store.workspace();
      await timings[index]?.measure(() => combined(operator, first, second, workspace, signal));
      workspace.close();
    }
  }
  console.log(
    `${name}: slice ${spread(block.times, 1)} ms, element for element ${spread(elements.times, 1)} ms`,
  );
  for (const [index, operator] of operators.entries()) {
    const timing = timings[index] ?? new Timings();
    const ratio = (other: Timings): string =>
      `${(median(timing.times) / median(other.times)).toFixed(1)} (least: ${(Math.min(...timing.times) / Math.min(...other.times)).toFixed(1)})`;
    console.log(
      `  ${operator.padEnd(6)} ${spread(timing.times, 1)} ms, × slice ${ratio(block)}, × elements ${ratio(elements)}, longest block ${timing.longestBlock.toFixed(1)} ms`,
    );
  }
}

async function adding(): Promise<void> {
  const texts = Array.from({ length: size }, (_, index) => String(index * 1009));
  const timing = new Timings();
  for (let round = 0; round < rounds; round += 1)
    await timing.measure(() => listOf('integer', texts));
  console.log(`adding ${size} integers: ${spread(timing.times, 1)} ms`);
}

/** What no hash table can do without: each key of one list is written somewhere, and each key of the other looks somewhere. */
async function touching(): Promise<void> {
  const slots = new Int32Array(slotsFor(size));
  const places = [0, 1].map(() => Int32Array.from({ length: size }, () => randomInt(slots.length)));
  const [written = slots, read = slots] = places;
  const [writing, reading] = [new Timings(), new Timings()];
  for (let round = 0; round < rounds; round += 1) {
    await writing.measure(() => writeAt(slots, written));
    await reading.measure(() => readAt(slots, read));
  }
  console.log(
    `${slots.byteLength} bytes in no order: written ${spread(writing.times, 1)} ms, read ${spread(reading.times, 1)} ms`,
  );
}

function writeAt(slots: Int32Array, places: Int32Array): void {
  const { length } = places;
  for (let index = 0; index < length; index += 1) slots[places[index] ?? 0] = index;
}

function readAt(slots: Int32Array, places: Int32Array): number {
  const { length } = places;
  let all = 0;
  for (let index = 0; index < length; index += 1) all ^= slots[places[index] ?? 0] ?? 0;
  return all;
}

await adding();
await touching();
await compare('dense ascending', overlapping('integer', String, false));
await compare('dense shuffled', overlapping('integer', String, true));
await compare('sparse random', distinct('integer', randomNumber, false));
await compare('sparse ascending', distinct('integer', randomNumber, true));
await compare('GUIDs', distinct('text', randomUUID, false));
