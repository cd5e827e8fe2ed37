/**
 * `npm run torture -- [--minutes 3] [--seed 1] [--engine pglite] [--section urls] [--built]`: hostile input, slow clients, and a database in trouble, against the program in a
 * process of its own; on PGlite, and on the servers that the environment names. It prints a table of what was found, and ends with exit code 1
 * where an invariant did not hold. docs/reference/reliability.md says what the invariants are.
 */
import { chance } from '../../fixtures/legacy/random.ts';
import build from '../../targets/build.ts';
import { pgliteTarget } from '../../targets/pglite.ts';
import { postgresTarget } from '../../targets/postgres.ts';
import { sqlServerTarget } from '../../targets/sqlserver.ts';
import type { Target } from '../../targets/target.ts';
import { torturedBodies } from './bodies-section.ts';
import { loaded } from './load-section.ts';
import { startMeasured } from './gateway.ts';
import { readOptions } from './options.ts';
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

const options = readOptions(process.argv.slice(2), Object.keys(targets), Object.keys(sections));
const report = new Report(options.seed);
console.log(`seed ${options.seed}: npm run torture -- --seed ${options.seed}`);
if (!options.isBuilt) build();

for (const engine of options.engines) {
  const target = targets[engine];
  if (target === undefined) continue;
  const missing = await target.unavailable();
  if (missing !== null) {
    console.log(`${target.name} is left out: ${missing}`);
    continue;
  }
  const opened = await target.open();
  try {
    const chosen = Object.entries(sections).filter(([name]) => options.sections.includes(name));
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
        random: chance(options.seed),
        match: options.match,
        until: performance.now() + (options.minutes * 60_000 * share) / shares,
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
