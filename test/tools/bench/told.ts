/**
 * `npm run bench:told [reads]`: what it costs that the database is told who asks, on every target that can be reached: an entity is read by its
 * key, over and over, through a gateway whose database is told a name, two roles and a claim, and through one whose database is told nothing. The
 * two take turns.
 */
import { openDatabase } from '../../../src/app.ts';
import type { Principal } from '../../../src/base/principal.ts';
import type { Config } from '../../../src/config/config.ts';
import type { ContextKeys } from '../../../src/config/settings/session-context.ts';
import type { Database } from '../../../src/database/database.ts';
import { startGateway } from '../../targets/gateway.ts';
import { pgliteTarget } from '../../targets/pglite.ts';
import { postgresTarget } from '../../targets/postgres.ts';
import { sqlServerTarget } from '../../targets/sqlserver.ts';
import { alternated, shown } from './alternated.ts';

const reads = Number(process.argv[2] ?? 100);
const turns = 60;

const tellUser: ContextKeys = {
  user: 'app.user',
  roles: 'app.roles',
  claims: { region: 'app.region' },
};

const ann: Principal = {
  name: 'ann.smith@example.com',
  roles: ['clerk', 'reader'],
  claims: new Map([['region', 'north']]),
};

/** A database all of whose statements run on behalf of the same user. */
async function openFor(principal: Principal, database: Config['database']): Promise<Database> {
  const opened = await openDatabase({
    database,
    timeZone: 'UTC',
    bigNumbersAsStrings: false,
  } as Config);
  return {
    ...opened,
    run: (command, options) => opened.run(command, { ...options, principal }),
  };
}

for (const target of [pgliteTarget, postgresTarget, sqlServerTarget]) {
  const missing = await target.unavailable();
  if (missing !== null) {
    console.log(`${target.name}: not reached: ${missing}`);
    continue;
  }
  const [opened, other] = [await target.open(), await target.open()];
  const databases = [
    await openFor(ann, { ...opened.database, tellUser }),
    await openFor(ann, other.database),
  ] as const;
  const gateways = await Promise.all(
    databases.map((database) => startGateway(opened.database, {}, database)),
  );
  const readBy = (index: number) => async (): Promise<void> => {
    for (let count = 0; count < reads; count += 1) {
      const answer = await gateways[index]?.get('/rest/Company(1)?$attributes=name');
      if (answer?.status !== 200) throw new Error(answer?.text);
    }
  };
  const sides = await alternated(turns, readBy(0), readBy(1));
  console.log(`${databases[0].version}: ${reads} reads, told / not told: ${shown(sides)}`);
  for (const gateway of gateways) await gateway.close();
  for (const database of databases) await database.close();
  for (const { close } of [opened, other]) await close();
}
