/**
 * `npx tsx test/tools/bench/entity-set-room.ts [keys] [rounds]`: how long it takes to combine two sets, beside copying the bytes of their keys. Both
 * take turns. Beside it stands for how long others had to wait for their turn at most, and how fast keys are added.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { KeyListBuilder } from '../../../src/state/entity-set/builder.ts';
import { combined } from '../../../src/state/entity-set/combine.ts';
import { MemoryEntitySets } from '../../../src/state/entity-set/memory-entity-sets.ts';
import type { KeyList } from '../../../src/state/entity-set/keys.ts';
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
function overlapping(keyAt: (index: number) => string, shuffled: boolean): KeyList[] {
  return [0, size >> 1].map((from) => {
    const texts = Array.from({ length: size }, (_, index) => keyAt(from + index));
    return listOf(shuffled ? shuffle(texts) : texts);
  });
}

function listOf(texts: readonly string[]): KeyList {
  const workspace = store.workspace();
  const builder = new KeyListBuilder(workspace);
  for (const text of texts) builder.add([text]);
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
function distinct(make: () => string, ascending: boolean): KeyList[] {
  const texts = new Set<string>();
  while (texts.size < 1.5 * size) texts.add(make());
  const all = [...texts];
  if (ascending) all.sort((a, b) => Number(a) - Number(b));
  return overlapping((index) => all[index] ?? '', false);
}

function randomNumber(): string {
  return String(randomInt(2 ** 31));
}

/** The bytes of a list's keys. */
function bytesOf(list: KeyList): Buffer {
  return Buffer.concat(list.chunks.map(({ content }) => content));
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
  const arrays = [bytesOf(first), bytesOf(second)];
  const operators = ['and', 'or', 'except'] as const;
  const block = new Timings();
  const timings = operators.map(() => new Timings());
  for (let round = -3; round < rounds; round += 1) {
    if (round === 0)
      for (const each of [block, ...timings])
        Object.assign(each, { longestBlock: 0 }).times.length = 0;
    await block.measure(() => arrays.map((array) => Buffer.from(array)));
    for (const [index, operator] of operators.entries()) {
      const workspace = store.workspace();
      await timings[index]?.measure(() => combined(operator, first, second, workspace, signal));
      workspace.close();
    }
  }
  console.log(`${name}: ${first.bytes} bytes, copied with the other ${spread(block.times, 1)} ms`);
  for (const [index, operator] of operators.entries()) {
    const timing = timings[index] ?? new Timings();
    const ratio = (other: Timings): string =>
      `${(median(timing.times) / median(other.times)).toFixed(1)} (least: ${(Math.min(...timing.times) / Math.min(...other.times)).toFixed(1)})`;
    console.log(
      `  ${operator.padEnd(6)} ${spread(timing.times, 1)} ms, × copy ${ratio(block)}, longest block ${timing.longestBlock.toFixed(1)} ms`,
    );
  }
}

async function adding(): Promise<void> {
  const texts = Array.from({ length: size }, (_, index) => String(index * 1009));
  const timing = new Timings();
  for (let round = 0; round < rounds; round += 1) await timing.measure(() => listOf(texts));
  console.log(`adding ${size} integers: ${spread(timing.times, 1)} ms`);
}

await adding();
await compare('dense ascending', overlapping(String, false));
await compare('dense shuffled', overlapping(String, true));
await compare('sparse random', distinct(randomNumber, false));
await compare('sparse ascending', distinct(randomNumber, true));
await compare('GUIDs', distinct(randomUUID, false));
