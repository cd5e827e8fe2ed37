/**
 * `npm run bench:writes [rows]`: how long the gateway takes to create many entities by one request, on every target that can be
 * reached, beside a set-based INSERT of the same rows written by hand and sent over the same connections. The two take turns.
 */
import type { Gateway } from '../../targets/gateway.ts';
import { startGateway } from '../../targets/gateway.ts';
import { pgliteTarget } from '../../targets/pglite.ts';
import { postgresTarget } from '../../targets/postgres.ts';
import { sqlServerTarget } from '../../targets/sqlserver.ts';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import { command } from '../../targets/sql.ts';
import { median, spread, time } from './timing.ts';

const rows = Number(process.argv[2] ?? 10_000);
const runs = 5;

/** Behind all lines that the sample has. */
const FIRST_LINE = 20_001;

const columns = '"ORD_NO", "LINE_NO", "PRD_ID", "QTY", "UNIT_PRC"';

const byHand = {
  postgres:
    `INSERT INTO "SALES"."Order Details" (${columns}) SELECT * FROM json_to_recordset($1::json)` +
    ' AS r("orderNo" int, "line" smallint, "product" int, "quantity" int, "unitPrice" numeric)',
  sqlserver:
    `INSERT INTO "SALES"."Order Details" (${columns}) SELECT * FROM OPENJSON(@p1) WITH ("orderNo" int '$.orderNo',` +
    ` "line" smallint '$.line', "product" int '$.product', "quantity" int '$.quantity', "unitPrice" decimal(19,4) '$.unitPrice')`,
};

const body = JSON.stringify(
  Array.from({ length: rows }, (_, index) => ({
    orderNo: 1,
    line: FIRST_LINE + index,
    product: (index % 20) + 1,
    quantity: 1,
    unitPrice: 10.25,
  })),
);

async function request(gateway: Gateway, url: string, text?: string): Promise<string> {
  const answer = await gateway.get(url, {
    method: 'POST',
    ...(text === undefined ? {} : { body: text }),
  });
  if (answer.status !== 200 || answer.text.includes('__ERROR')) throw new Error(answer.text);
  return answer.text;
}

/** What a saved entity is sent back as, with a change. */
function changes(answer: string): string {
  const { __ENTITIES: entities } = JSON.parse(answer) as {
    __ENTITIES: readonly { __KEY: string; __STAMP: number }[];
  };
  return JSON.stringify(
    entities.map(({ __KEY, __STAMP }) => ({ __KEY, __STAMP, remark: 'changed' })),
  );
}

for (const target of [pgliteTarget, postgresTarget, sqlServerTarget]) {
  const missing = await target.unavailable();
  if (missing !== null) {
    console.log(`${target.name}: not reached: ${missing}`);
    continue;
  }
  const opened = await target.open();
  const gateway = await startGateway(opened.database);
  const { database } = gateway;
  const { version } = database;
  if (version.includes('Babelfish')) {
    // Its check of a foreign key fails now and then, in sessions that deleted rows before.
    console.log(`${target.name}: Babelfish is not measured`);
    await gateway.close();
    await opened.close();
    continue;
  }
  const insert = byHand[opened.database.engine === 'sqlserver' ? 'sqlserver' : 'postgres'];
  const clear = (): Promise<string> =>
    request(gateway, `/rest/OrderLine?$filter="line >= ${FIRST_LINE}"&$method=delete`);
  const times = {
    hand: [] as number[],
    create: [] as number[],
    update: [] as number[],
    remove: [] as number[],
  };
  for (let run = 0; run < runs; run += 1) {
    times.hand.push(
      await time(() =>
        database.run(
          command(insert, 'write', [[{ kind: 'rows', types: [] }, body]]),
          gatewayContext,
        ),
      ),
    );
    await clear();
    let answer = '';
    times.create.push(
      await time(async () => {
        answer = await request(gateway, '/rest/OrderLine', body);
      }),
    );
    const changed = changes(answer);
    times.update.push(await time(() => request(gateway, '/rest/OrderLine', changed)));
    const keys = changed.replace(/,"__STAMP":\d+,"remark":"changed"/g, '');
    times.remove.push(await time(() => request(gateway, '/rest/OrderLine?$method=delete', keys)));
  }
  const ratio = median(times.create.map((create, run) => create / (times.hand[run] ?? 1)));
  console.log(
    `${target.name}, ${rows} rows: INSERT by hand ${spread(times.hand, 0)} ms, create ${spread(times.create, 0)} ms,` +
      ` ratio ${ratio.toFixed(1)}, update ${spread(times.update, 0)} ms, delete ${spread(times.remove, 0)} ms`,
  );
  await gateway.close();
  await opened.close();
}
