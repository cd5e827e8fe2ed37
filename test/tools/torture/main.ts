/**
 * `npm run torture -- [--minutes 3] [--seed 1] [--engine pglite] [--section urls] [--built]`: hostile input, slow clients, and a database in trouble, against the program in a
 * process of its own; on PGlite, and on the servers that the environment names. It prints a table of what was found, and ends with exit code 1
 * where an invariant did not hold. docs/reference/reliability.md says what the invariants are.
 */
import { parseArgs } from 'node:util';
import { chance } from '../../fixtures/legacy/random.ts';
import build from '../../targets/build.ts';
import { pgliteTarget } from '../../targets/pglite.ts';
import { postgresTarget } from '../../targets/postgres.ts';
import { sqlServerTarget } from '../../targets/sqlserver.ts';
import type { Target } from '../../targets/target.ts';
import { torturedBodies } from './bodies-section.ts';
import { loaded } from './load-section.ts';
import { startMeasured } from './gateway.ts';
import { Report } from './report.ts';
import type { Outcome, Trial } from './section.ts';
import { slowClients } from './slow-clients-section.ts';
import { databaseInTrouble } from './trouble-section.ts';
import { torturedUrls } from './urls-section.ts';

const sections: Readonly<
  Record<string, { readonly share: number; readonly run: (trial: Trial) => Promise<Outcome> }>
> = {
  urls: { share: 3, run: torturedUrls },
  bodies: { share: 3, run: torturedBodies },
  clients: { share: 2, run: slowClients },
  load: { share: 1, run: loaded },
  trouble: { share: 2, run: databaseInTrouble },
};

const targets: Readonly<Record<string, Target>> = {
  pglite: pgliteTarget,
  postgres: postgresTarget,
  sqlserver: sqlServerTarget,
};

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 0x7fff_ffff)) },
    engine: { type: 'string', multiple: true, default: Object.keys(targets) },
    section: { type: 'string', multiple: true, default: Object.keys(sections) },
    match: { type: 'string', default: '' },
    built: { type: 'boolean', default: false },
  },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
const isKnown = values.engine.every((name) => name in targets);
if (!(minutes > 0) || !Number.isSafeInteger(seed) || !isKnown) {
  throw new Error(
    `--minutes and --seed are numbers; --engine is ${Object.keys(targets).join(' or ')}`,
  );
}
const report = new Report(seed);
console.log(`seed ${seed}: npm run torture -- --seed ${seed}`);
if (!values.built) build();

for (const engine of values.engine) {
  const target = targets[engine];
  if (target === undefined) continue;
  const missing = await target.unavailable();
  if (missing !== null) {
    console.log(`${target.name} is left out: ${missing}`);
    continue;
  }
  const opened = await target.open();
  try {
    const chosen = Object.entries(sections).filter(([name]) => values.section.includes(name));
    const shares = chosen.reduce((sum, [, { share }]) => sum + share, 0);
    for (const [name, { share, run }] of chosen) {
      let gateway = await startMeasured(opened.database);
      const row = report.begin(target.name, name);
      const trial: Trial = {
        engine,
        gateway: () => gateway,
        database: opened.database,
        restart: async (database = {}) => {
          row.log(gateway.takeLog());
          await gateway.stop();
          gateway = await startMeasured({ ...opened.database, ...database });
        },
        random: chance(seed),
        match: values.match,
        until: performance.now() + (minutes * 60_000 * share) / shares,
        broken: row.broken,
      };
      try {
        const rest = await gateway.atRest();
        const outcome = await run(trial);
        row.end(outcome, rest, await gateway.atRest());
      } catch (error) {
        row.broken(`${String(error)} ${gateway.end() ?? ''}`);
      }
      row.log(gateway.takeLog());
      await gateway.stop();
    }
  } finally {
    await opened.close();
  }
}
console.log(report.table());
process.exitCode = report.isBroken ? 1 : 0;
