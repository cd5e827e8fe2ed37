/**
 * `npm run mutants -- --sample 600 [--seed 1] [--most 12] [--without REGEXP] [--lanes 2] [--out FILE] [--beside FILE]`: changes the source in as many places, one at a time, and
 * runs the tests that reach the place, on the embedded engine, until one fails. Writes a record of what was noticed. `--like FILE` in place of `--sample` tries what an earlier
 * record had as noticed, first against the file that noticed it; the rest stays as it is there. `--again` keeps what the record that is there has as noticed, and tries the rest.
 * `--beside` compares the record with an earlier one, without a sample the one that is there. Exit code 1 where a room notices less.
 */
import { mkdirSync, readFileSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { addTo } from '../../../src/base/collections.ts';
import { testFolder } from '../../config/files.ts';
import { Lane, type Outcome } from './lanes.ts';
import type { Numbered } from './mutate.ts';
import {
  fewerKilled,
  isNoticed,
  mutantsIn,
  nameOf,
  recordOf,
  shortOf,
  type Tried,
} from './record.ts';
import { makeSandbox, sourceFiles, workingFiles } from './sandbox.ts';
import { sampleLike, sampleOf } from './sample.ts';

/** How long a file of tests may take without a mutant, in milliseconds. */
const LIMIT = 300_000;

interface Reach {
  /** The tests of a file that reach a mutant. */
  readonly tests: readonly string[];
  /** Whether it is reached before them, too, as when a module is loaded. */
  readonly isBefore: boolean;
}

/** What the quick tests do not notice is tried against the others. */
const STAGES = [
  /^test\/(?!cases|conformance|integration)/,
  /^test\/conformance/,
  /^test\/(?:cases|integration)/,
];

/** From how many milliseconds on only those tests of a file run that reach a mutant, even if it is reached before them, too. */
const SLOW = 10_000;

/** A file of tests that passes. */
interface TestFile {
  readonly path: string;
  readonly milliseconds: number;
  /** The mutants that it reaches. */
  readonly reached: ReadonlyMap<number, Reach>;
}

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    most: { type: 'string', default: '12' },
    without: { type: 'string' },
    lanes: { type: 'string', default: '2' },
    out: { type: 'string', default: 'test/tools/mutants/record.tsv' },
    beside: { type: 'string' },
    like: { type: 'string' },
    again: { type: 'boolean', default: false },
  },
});
const { out, beside, without, again } = values;
const like = again ? out : values.like;
const [size, seed, most, lanes] = [values.sample, values.seed, values.most, values.lanes].map(
  (text) => {
    if (!/^\d+$/.test(text)) throw new Error(`not a number: ${text}`);
    return Number(text);
  },
) as [number, number, number, number];

/** Does the same with all items, in several lanes side by side. */
async function inLanes<Item>(
  folder: string,
  items: readonly Item[],
  work: (item: Item, lane: Lane) => Promise<void>,
): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: lanes }, async (_, index) => {
      const lane = new Lane(folder, String(index));
      try {
        for (let item = left.shift(); item !== undefined; item = left.shift()) {
          await work(item, lane);
        }
      } finally {
        await lane.close();
      }
    }),
  );
}

/** Runs files without a mutant, with modules of their own. @returns those that pass; and how the others end */
async function measured(
  folder: string,
  files: readonly string[],
): Promise<{ tests: TestFile[]; leftOut: string[] }> {
  const [tests, leftOut] = [new Array<TestFile>(), new Array<string>()];
  await inLanes(folder, files, async (path, lane) => {
    const reached = join(folder, 'reached', path.replaceAll('/', '-'));
    let start = 0;
    const run = (): Promise<Outcome> => {
      start = performance.now();
      return lane.run({ mutant: null, test: path, only: [], reached }, LIMIT);
    };
    const first = await run();
    const outcome = first === 'failed' ? await run() : first;
    const milliseconds = performance.now() - start;
    console.log(`${(milliseconds / 1000).toFixed(1)} s, ${outcome}: ${path}`);
    if (outcome === 'passed') tests.push({ path, milliseconds, reached: reachedIn(reached) });
    else leftOut.push(`${path}: ${outcome}`);
  });
  return { tests, leftOut: leftOut.sort() };
}

/** What a run without a mutant has noted: the number of a mutant, and the test behind it. */
function reachedIn(path: string): TestFile['reached'] {
  const reached = new Map<number, Reach>();
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  for (const [id, test = ''] of lines.map((line) => line.split(' '))) {
    const { tests, isBefore } = reached.get(Number(id)) ?? { tests: [], isBefore: false };
    const all = test === '' ? tests : [...new Set([...tests, test])];
    reached.set(Number(id), { tests: all, isBefore: isBefore || test === '' });
  }
  return reached;
}

/** Which tests a mutant is run against: those nearest to its file, of these the quickest. */
function nearest({ id, file }: Numbered, tests: readonly TestFile[]): TestFile[] {
  return tests
    .filter(({ reached }) => reached.has(id))
    .sort(
      (a, b) => nearness(b.path, file) - nearness(a.path, file) || a.milliseconds - b.milliseconds,
    )
    .slice(0, most);
}

/** How many leading parts of their paths a file of tests and one of the source share. */
function nearness(test: string, file: string): number {
  const [one, other] = [test, file].map((path) =>
    path
      .replace(/(\.test)?\.([jt]s|cases)$/, '')
      .split('/')
      .slice(1),
  );
  const same = one?.findIndex((part, at) => part !== other?.[at]) ?? 0;
  return same < 0 ? (one?.length ?? 0) : same;
}

async function tryAll(folder: string): Promise<void> {
  const record = like === undefined ? null : mutantsIn(readFileSync(like, 'utf8'));
  const drawn =
    record === null ? sampleOf(sourceFiles(), size, seed) : sampleLike(sourceFiles(), record);
  const mutants = drawn.map((mutant, id) => ({ ...mutant, id }));
  makeSandbox(join(folder, 'checkout'), mutants);
  for (const name of ['tmp', 'reached']) mkdirSync(join(folder, name));
  const start = performance.now();
  const say = (what: string): void =>
    console.log(`${((performance.now() - start) / 60_000).toFixed(1)} min: ${what}`);
  const isLeftOut = without === undefined ? null : new RegExp(without);
  const files = workingFiles('test').filter(
    (path) =>
      /^test\/(?:(?!explorer|tools).*\.test\.ts|cases\/.*\.cases)$/.test(path) &&
      isLeftOut?.test(path) !== true,
  );
  const facts = [
    `${mutants.length} mutants${record === null ? `, seed ${seed}` : ''}, on the embedded engine, at most ${most} files of a stage`,
  ];
  const gone = (record ?? mutants).length - mutants.length;
  if (gone > 0) facts.push(`${gone} of the earlier record are no longer in the source`);
  if (without !== undefined) facts.push(`left out: ${without}`);
  const tried = new Map<number, Tried>();
  const earlierNoticed = new Map<number, string>();
  const records = new Map<string, Tried[]>();
  for (const each of record ?? []) addTo(records, nameOf(each), each);
  for (const mutant of mutants.toSorted((a, b) => a.start - b.start)) {
    const before = records.get(nameOf(mutant))?.shift();
    if (before === undefined) continue;
    if (before.by !== '') earlierNoticed.set(mutant.id, before.by);
    if (isNoticed(before) === again) tried.set(mutant.id, { ...before, ...mutant });
  }
  let left = mutants.filter(({ id }) => !tried.has(id));
  const named = new Set(left.map(({ id }) => earlierNoticed.get(id)));
  const stages = [
    {
      stageFiles: files.filter((path) => named.has(path)),
      chosen: ({ id }: Numbered, tests: readonly TestFile[]) =>
        tests.filter(({ path }) => path === earlierNoticed.get(id)),
    },
    ...STAGES.map((stage) => ({
      stageFiles: files.filter((path) => stage.test(path)),
      chosen: nearest,
    })),
  ];
  const byPath = new Map<string, TestFile | null>();
  for (const { stageFiles, chosen } of stages) {
    if (left.length === 0) break;
    const others = stageFiles.filter((path) => !byPath.has(path));
    const { tests: passing, leftOut } = await measured(folder, others);
    say(`${passing.length} files of tests pass; left out: ${leftOut.join(', ')}`);
    facts.push(...leftOut.map((file) => `left out: ${file}`));
    for (const path of others) byPath.set(path, passing.find((test) => test.path === path) ?? null);
    const tests = stageFiles.flatMap((path) => byPath.get(path) ?? []);
    let count = 0;
    await inLanes(folder, left, async (mutant, lane) => {
      const found = await attempt(mutant, chosen(mutant, tests), lane);
      const before = tried.get(mutant.id);
      if (found.outcome === 'not reached' && before !== undefined) return;
      tried.set(mutant.id, { ...mutant, ...found });
      writeFileSync(out, recordOf(facts, [...tried.values()]));
      const place = `${mutant.file}:${mutant.line} ${shortOf(mutant).join(' → ')}`;
      say(`${++count} of ${left.length} ${found.outcome}: ${place} ${found.by}`);
    });
    left = left.filter(({ id }) => !isNoticed(tried.get(id)));
  }
}

/** Runs a mutant against files of tests until one fails twice, and not without it. */
async function attempt(
  { id }: Numbered,
  tests: readonly TestFile[],
  lane: Lane,
): Promise<Pick<Tried, 'outcome' | 'by'>> {
  for (const { path, milliseconds, reached } of tests) {
    const run = (mutant: number | null, only: readonly string[]): Promise<Outcome> =>
      lane.run({ mutant, test: path, only, reached: '' }, 20_000 + 5 * milliseconds);
    const { tests: some, isBefore } = reached.get(id) ?? { tests: [], isBefore: true };
    const isAll = some.length === 0 || (isBefore && milliseconds < SLOW);
    // A test may need those before it: then all of the file run.
    for (const only of isAll ? [[]] : [some, []]) {
      const ended = await run(id, only);
      if (ended === 'timeout') return { outcome: 'timeout', by: path };
      if (ended === 'passed' || (await run(id, only)) === 'passed') break;
      if ((await run(null, only)) === 'passed') return { outcome: 'killed', by: path };
    }
  }
  return { outcome: tests.length > 0 ? 'survived' : 'not reached', by: '' };
}

const earlier = beside === undefined ? null : mutantsIn(readFileSync(beside, 'utf8'));
if (size > 0 || like !== undefined) {
  const folder = await testFolder();
  await tryAll(folder.path).finally(folder.remove);
}
if (earlier !== null) {
  const fewer = fewerKilled(earlier, mutantsIn(readFileSync(out, 'utf8')));
  console.log(fewer.length === 0 ? 'no room notices less' : fewer.join('\n'));
  process.exitCode = fewer.length === 0 ? 0 : 1;
}
