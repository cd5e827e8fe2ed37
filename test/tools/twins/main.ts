/**
 * `npm run twins -- --beside FOLDER [--engine pglite|postgres|sqlserver] [--bodies 2000] [--seed N] [--audit] [--no-locks]`: sends the same random saves and
 * deletes to this checkout and to another one that is built, each with databases of its own, which it makes anew, with the next seed, after {@link ROUND} bodies.
 * Exit code 1 where answers, tables or audit logs differ. Babelfish ends when locks are refused several times: it needs `--no-locks`.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { testFolder } from '../../config/files.ts';
import { PROGRAM } from '../../integration/gateway-process.ts';
import build from '../../targets/build.ts';
import { drawn, type Body } from './bodies.ts';
import { openTwin, PARTS, type Done } from './twin.ts';

const ENGINES = ['pglite', 'postgres', 'sqlserver'] as const;
const [ROUND, MOST_DIFFERENCES] = [250, 5];

const { values } = parseArgs({
  options: {
    beside: { type: 'string' },
    engine: { type: 'string', default: 'pglite' },
    bodies: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 0x7fff_ffff)) },
    audit: { type: 'boolean', default: false },
    'no-locks': { type: 'boolean', default: false },
  },
});
const { beside, audit, 'no-locks': isWithoutLocks } = values;
const has = { audit, locks: !isWithoutLocks };
const engine = ENGINES.find((name) => name === values.engine);
const [most, seed] = [Number(values.bodies), Number(values.seed)];
if (beside === undefined || engine === undefined || !(most > 0) || !Number.isInteger(seed)) {
  throw new Error(`--beside names a folder; --engine is ${ENGINES.join(' or ')}; others: numbers`);
}

const { path: folder, remove } = await testFolder();
const counts: Record<string, Map<string, number>> = {};

function count({ words }: Body, { status, answer }: Done): void {
  const found = (pattern: RegExp): string[] => answer.join().match(pattern) ?? [];
  const elements = found(/"success":(?:true|false)/g);
  const seen = { bodies: words, status, elements, errors: found(/"errCode":\d+/g) };
  for (const [kind, items] of Object.entries(seen)) {
    const all = (counts[kind] ??= new Map<string, number>());
    for (const item of items) all.set(item, (all.get(item) ?? 0) + 1);
  }
}

/** What two sides did differently, part by part. */
function differences(here: Done, there: Done): string[] {
  return PARTS.flatMap((part) => {
    if (here[part].join('\n') === there[part].join('\n')) return [];
    const one = here[part].filter((line) => !there[part].includes(line));
    const other = there[part].filter((line) => !here[part].includes(line));
    // All of it, where the order alone differs.
    const [ours, theirs] = one.length + other.length > 0 ? [one, other] : [here[part], there[part]];
    return [`${part} here:`, ...ours, `${part} beside:`, ...theirs];
  });
}

let [sent, differed] = [0, 0];

/** Sends bodies to new twins until there are enough, or the tables differ. */
const round = async (from: number): Promise<void> => {
  // Babelfish does not make two databases at once.
  const one = await openTwin(resolve(PROGRAM), engine, join(folder, `${from}-here`), has);
  const two = await openTwin(resolve(beside, PROGRAM), engine, join(folder, `${from}-two`), has);
  const next = drawn(from, one.model);
  try {
    for (let at = 1; at <= ROUND && sent < most && differed < MOST_DIFFERENCES; at += 1) {
      const body = next(one.rows());
      const [here, there] = await Promise.all([one.send(body), two.send(body)]);
      count(body, here);
      sent += 1;
      const found = differences(here, there);
      if (found.length === 0) continue;
      differed += 1;
      const title = `\nBody ${at} of --seed ${from}: ${body.words.join(', ')}`;
      console.log([title, ...here.command, ...there.command, ...found].join('\n'));
      if (found.includes('row here:')) break;
    }
  } finally {
    await one.close();
    await two.close();
  }
};

build();
try {
  for (let from = seed; sent < most && differed < MOST_DIFFERENCES; from += 1) await round(from);
} finally {
  await remove();
}
for (const [kind, all] of Object.entries(counts)) {
  const listed = [...all].sort(([, a], [, b]) => b - a).map(([what, times]) => `${what} ${times}`);
  console.log(`${kind}: ${listed.join(', ')}`);
}
const result = differed === 0 ? 'no difference' : `${differed} differ`;
console.log(`${sent} bodies on ${engine}, --seed ${seed}: ${result}`);
process.exitCode = differed === 0 ? 0 : 1;
