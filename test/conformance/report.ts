/**
 * `npm run conformance`: runs the suite on every target that can be reached and writes `docs/reference/compatibility.md`: which
 * code ran on which engine, and what passed, failed and was skipped, with reasons.
 */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { startVitest, type TestModule } from 'vitest/node';
import { openDatabase } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import startContainers from '../targets/containers.ts';
import { pgliteTarget } from '../targets/pglite.ts';
import { postgresTarget } from '../targets/postgres.ts';
import { sqlServerTarget } from '../targets/sqlserver.ts';
import type { Target } from '../targets/target.ts';

const FILE = 'docs/reference/compatibility.md';

const targets: readonly (readonly [file: string, target: Target])[] = [
  ['pglite', pgliteTarget],
  ['postgres', postgresTarget],
  ['sqlserver', sqlServerTarget],
];

interface Outcome {
  readonly name: string;
  /** The engine's own version string, or why the target was not reached. */
  readonly engine: string;
  readonly counts: Readonly<Record<'passed' | 'failed' | 'skipped', number>> | null;
  /** Titles by reason. */
  readonly skipped: ReadonlyMap<string, readonly string[]>;
  readonly failed: readonly string[];
}

const [src, dirty] = [git('rev-parse', 'HEAD:src'), git('status', '--porcelain', 'src') !== ''];
const stopContainers = await startContainers();
const outcomes: Outcome[] = [];
for (const [file, target] of targets) outcomes.push(await run(file, target));
await stopContainers();
const page = await format(render(outcomes), { ...(await resolveConfig(FILE)), filepath: FILE });
await writeFile(FILE, page);
if (outcomes.some(({ failed }) => failed.length > 0)) process.exitCode = 1;

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

async function run(file: string, target: Target): Promise<Outcome> {
  const missing = await target.unavailable();
  if (missing !== null) {
    return { name: target.name, engine: missing, counts: null, skipped: new Map(), failed: [] };
  }
  const vitest = await startVitest('test', [`test/conformance/${file}.test.ts`], { watch: false });
  const modules = vitest.state.getTestModules();
  await vitest.close();
  return { name: target.name, engine: await versionOf(target), ...tally(modules) };
}

/** The first line of what the engine says of itself. */
async function versionOf(target: Target): Promise<string> {
  const opened = await target.open();
  const database = await openDatabase({
    ...(await loadConfig('config.yaml', {})),
    database: opened.database,
  });
  const version = database.version.split('\n')[0]?.trim() ?? '';
  await database.close();
  await opened.close();
  return version;
}

function tally(modules: readonly TestModule[]): Pick<Outcome, 'counts' | 'skipped' | 'failed'> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const skipped = new Map<string, string[]>();
  const failed: string[] = [];
  for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
    const result = test.result();
    if (result.state === 'pending') continue;
    counts[result.state] += 1;
    if (result.state === 'failed') failed.push(test.name);
    if (result.state === 'skipped') {
      const reason = result.note ?? 'no reason given';
      skipped.set(reason, [...(skipped.get(reason) ?? []), test.name]);
    }
  }
  return { counts, skipped, failed };
}

function render(results: readonly Outcome[]): string {
  const rows = results.map(({ name, engine, counts }) =>
    counts === null
      ? `| ${name} | not reached: ${engine} | | | |`
      : `| ${name} | ${engine} | ${counts.passed} | ${counts.failed} | ${counts.skipped} |`,
  );
  const reasons = results.flatMap(({ name, skipped }) =>
    [...skipped].map(([reason, titles]) => `- ${name}: ${reason}\n${list(titles)}`),
  );
  const failures = results.flatMap(({ name, failed }) =>
    failed.length === 0 ? [] : [`- ${name}\n${list(failed)}`],
  );
  return [
    '# Compatibility',
    '`npm run conformance` runs the suite in `test/conformance` over HTTP on every engine it can reach, and writes this page. Babelfish, where it is the engine below, stands in for SQL Server: PostgreSQL that takes T-SQL over the wire protocol of SQL Server.',
    `- Date: ${new Date().toISOString().slice(0, 10)}`,
    `- Code: \`src\` at tree \`${src}\`${dirty ? ', with changes that are not committed' : ''}`,
    '| target | engine | passed | failed | skipped |\n| --- | --- | --- | --- | --- |\n' +
      rows.join('\n'),
    ...(reasons.length === 0 ? [] : ['## Skipped', reasons.join('\n')]),
    ...(failures.length === 0 ? [] : ['## Failed', failures.join('\n')]),
  ].join('\n\n');
}

function list(titles: readonly string[]): string {
  return titles.map((title) => `  - ${title}`).join('\n');
}
