/**
 * `npm run mutants -- --sample 600 [--seed 1] [--most 12] [--slowest 60] [--lanes 2] [--out FILE] [--beside FILE]`: changes the source in as many places, one at a
 * time, and runs the tests that reach the place, on the embedded engine, until one fails. Writes a record of what was noticed; `--beside` compares it with an
 * earlier one, without `--sample` the one that is there. Exit code 1 where a room notices less.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Lane, type Outcome } from './lanes.ts';
import type { Numbered } from './mutate.ts';
import { fewerKilled, mutantsIn, recordOf, shortOf, type Tried } from './record.ts';
import { makeSandbox, sourceFiles, workingFiles } from './sandbox.ts';
import { sampleOf } from './sample.ts';

/** A file of tests that passes. */
interface TestFile {
  readonly path: string;
  /** How long it takes in a process of its own. */
  readonly milliseconds: number;
  /** The mutants that it reaches, those of the modules that it only loads included. */
  readonly reached: ReadonlySet<number>;
}

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    most: { type: 'string', default: '12' },
    slowest: { type: 'string', default: '60' },
    lanes: { type: 'string', default: '2' },
    out: { type: 'string', default: 'test/tools/mutants/record.tsv' },
    beside: { type: 'string' },
  },
});
const { out, beside } = values;
const [size, seed, most, slowest, lanes] = [
  values.sample,
  values.seed,
  values.most,
  values.slowest,
  values.lanes,
].map((text) => {
  if (!/^\d+$/.test(text)) throw new Error(`not a number: ${text}`);
  return Number(text);
}) as [number, number, number, number, number];

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

/** Runs each file without a mutant, with modules of its own: it reaches what a module does that it loads. @returns those that pass, and why others are left out */
async function measured(folder: string): Promise<{ tests: TestFile[]; leftOut: string[] }> {
  const all = workingFiles('test').filter(
    (path) => path.endsWith('.test.ts') && !/^test\/(explorer|tools)\//.test(path),
  );
  const [tests, leftOut] = [new Array<TestFile>(), new Array<string>()];
  await inLanes(folder, all, async (path, lane) => {
    const reached = join(folder, 'reached', path.replaceAll('/', '-'));
    const start = performance.now();
    const outcome = await lane.run({ mutant: null, test: path, reached }, slowest * 1000);
    const milliseconds = performance.now() - start;
    console.log(`${(milliseconds / 1000).toFixed(1)} s, ${outcome}: ${path}`);
    if (outcome === 'passed') {
      const ids = existsSync(reached) ? readFileSync(reached, 'utf8').trim().split('\n') : [];
      tests.push({ path, milliseconds, reached: new Set(ids.map(Number)) });
    } else leftOut.push(`${path} (${outcome === 'failed' ? 'fails' : `over ${slowest} s`})`);
  });
  return { tests, leftOut: leftOut.sort() };
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

/** The one that reaches the most mutants. */
function widest({ id }: Numbered, tests: readonly TestFile[]): TestFile[] {
  return tests
    .filter(({ reached }) => reached.has(id))
    .sort((a, b) => b.reached.size - a.reached.size)
    .slice(0, 1);
}

/** How many leading parts of their paths a file of tests and one of the source share. */
function nearness(test: string, file: string): number {
  const [one, other] = [test, file].map((path) =>
    path
      .replace(/(\.test)?\.[jt]s$/, '')
      .split('/')
      .slice(1),
  );
  const same = one?.findIndex((part, at) => part !== other?.[at]) ?? 0;
  return same < 0 ? (one?.length ?? 0) : same;
}

async function tryAll(folder: string): Promise<void> {
  const mutants = sampleOf(sourceFiles(), size, seed).map((mutant, id) => ({ ...mutant, id }));
  makeSandbox(join(folder, 'checkout'), mutants);
  for (const name of ['tmp', 'reached']) mkdirSync(join(folder, name));
  const start = performance.now();
  const minutes = (): string => `${((performance.now() - start) / 60_000).toFixed(1)} min`;
  const { tests, leftOut } = await measured(folder);
  console.log(`${tests.length} files of tests pass, after ${minutes()}; left out:`, leftOut);
  const facts = [
    `seed ${seed}, ${tests.length} files of tests on the embedded engine, at most ${most} near a mutant and the widest`,
    ...leftOut.map((file) => `left out: ${file}`),
  ];
  const tried = new Map<number, Tried>();
  const hasSurvived = ({ id }: Numbered): boolean => tried.get(id)?.outcome === 'survived';
  const round = async (left: readonly Numbered[], choose: typeof nearest): Promise<void> => {
    let count = 0;
    await inLanes(folder, left, async (mutant, lane) => {
      const found = await attempt(mutant, choose(mutant, tests), lane);
      tried.set(mutant.id, { ...mutant, ...found });
      const place = `${mutant.file}:${mutant.line} ${shortOf(mutant).join(' → ')}`;
      console.log(`${++count} (${minutes()}) ${found.outcome}: ${place} ${found.by}`);
    });
    writeFileSync(out, recordOf(facts, [...tried.values()]));
    console.log(`${out}, after ${minutes()}`);
  };
  await round(mutants, nearest);
  // It takes longest: it is there for what all others do not notice.
  await round(mutants.filter(hasSurvived), widest);
}

/** Runs a mutant against files of tests until one fails twice. */
async function attempt(
  { id }: Numbered,
  tests: readonly TestFile[],
  lane: Lane,
): Promise<Pick<Tried, 'outcome' | 'by'>> {
  for (const { path, milliseconds } of tests) {
    const run = (): Promise<Outcome> =>
      lane.run({ mutant: id, test: path, reached: '' }, 20_000 + 5 * milliseconds);
    const ended = await run();
    if (ended === 'timeout') return { outcome: 'timeout', by: path };
    if (ended === 'failed' && (await run()) !== 'passed') return { outcome: 'killed', by: path };
  }
  return { outcome: tests.length > 0 ? 'survived' : 'not reached', by: '' };
}

const earlier = beside === undefined ? null : mutantsIn(readFileSync(beside, 'utf8'));
if (size > 0) {
  const folder = mkdtempSync(join(tmpdir(), 'entitygate-mutants-'));
  try {
    await tryAll(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
if (earlier !== null) {
  const fewer = fewerKilled(earlier, mutantsIn(readFileSync(out, 'utf8')));
  console.log(fewer.length === 0 ? 'no room notices less' : fewer.join('\n'));
  process.exitCode = fewer.length === 0 ? 0 : 1;
}
