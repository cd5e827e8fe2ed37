/**
 * `npm run bench:introspection [tables]`: how long reading the schema of a large database takes, on every target that can be
 * reached. The generated tables have twelve columns, a key, an index and a foreign key each.
 */
import { openDatabase } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { Database } from '../../../src/database/database.ts';
import { buildModel } from '../../../src/model/build.ts';
import type { MappingFile } from '../../../src/config/mapping.ts';
import { pgliteTarget } from '../../targets/pglite.ts';
import { postgresTarget } from '../../targets/postgres.ts';
import { sqlServerTarget } from '../../targets/sqlserver.ts';
import { query } from '../../targets/sql.ts';
import { spread, time } from './timing.ts';

const tables = Number(process.argv[2] ?? 2000);
const runs = 5;

/** One table; the same text serves both dialects. */
function createTable(number: number): string {
  const columns = Array.from({ length: 9 }, (_, index) => `"COL_${index}" varchar(40)`).join(', ');
  const parent = number === 0 ? number : Math.floor((number - 1) / 4);
  return (
    `CREATE TABLE "T_${number}" ("ID" int NOT NULL, "PARENT_ID" int, "AMT" decimal(19,4), ${columns},` +
    ` CONSTRAINT "PK_${number}" PRIMARY KEY ("ID"),` +
    ` CONSTRAINT "FK_${number}" FOREIGN KEY ("PARENT_ID") REFERENCES "T_${parent}" ("ID"))`
  );
}

async function fill(database: Database): Promise<void> {
  for (let number = 0; number < tables; number += 1) {
    await query(database, createTable(number));
    await query(database, `CREATE INDEX "IX_${number}" ON "T_${number}" ("COL_0", "COL_1")`);
  }
}

/** How long each run of some work takes, in milliseconds. */
async function timesOf(work: () => unknown): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) times.push(await time(work));
  return times;
}

for (const target of [pgliteTarget, postgresTarget, sqlServerTarget]) {
  const missing = await target.unavailable();
  if (missing !== null) {
    console.log(`${target.name}: not reached: ${missing}`);
    continue;
  }
  const opened = await target.open();
  const base = await loadConfig('config.yaml', {});
  const database = await openDatabase({ ...base, database: opened.database });
  await fill(database);
  const introspection = await timesOf(() => database.introspect());
  const schema = await database.introspect();
  const own = schema.tables.filter(({ name }) => /^T_\d+$/i.test(name));
  const mappings = own.map(({ schema: owner, name }): MappingFile => ({
    file: { path: name, value: null, locate: () => name },
    mapping: { table: { schema: owner, name } },
  }));
  const model = await timesOf(() => buildModel(mappings, schema, base));
  console.log(
    `${target.name}: ${own.length} tables, introspection ${spread(introspection, 0)} ms, model ${spread(model, 0)} ms`,
  );
  await database.close();
  await opened.close();
}
