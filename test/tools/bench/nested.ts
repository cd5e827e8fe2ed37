/**
 * An order with its lines in one request, beside the same by a request for the order and one for all of its lines, and a transaction of
 * two INSERTs and two SELECTs written by hand for PostgreSQL, on every target that can be reached. They take turns.
 */
import type { Gateway } from '../../targets/gateway.ts';
import { startGateway } from '../../targets/gateway.ts';
import { pgliteTarget } from '../../targets/pglite.ts';
import { postgresTarget } from '../../targets/postgres.ts';
import { change, query, transaction } from '../../targets/sql.ts';
import { median, spread, time } from './timing.ts';

const LINES = 10;
const turns = 60;

const head = {
  date: '2026-01-02',
  placedAt: '2026-01-02T10:00:00Z',
  currency: 'EUR',
  billTo: 1,
};
const lines = Array.from({ length: LINES }, (_, index) => ({
  line: index + 1,
  product: index + 1,
  quantity: 1,
  unitPrice: 10.25,
}));

async function post(gateway: Gateway, url: string, body: unknown): Promise<string> {
  const answer = await gateway.get(url, { method: 'POST', body: JSON.stringify(body) });
  if (answer.status !== 200 || answer.text.includes('__ERROR')) throw new Error(answer.text);
  return answer.text;
}

async function inTwo(gateway: Gateway): Promise<void> {
  const { __KEY } = JSON.parse(await post(gateway, '/rest/Order', head)) as { __KEY: string };
  const orderNo = Number(__KEY);
  await post(
    gateway,
    '/rest/OrderLine?$atomic=true',
    lines.map((line) => ({ orderNo, ...line })),
  );
}

const table = '"SALES"."Order Details"';

async function byHand({ database }: Gateway): Promise<void> {
  await transaction(database, async (connection) => {
    const [row] = await change(
      connection,
      `INSERT INTO "SALES"."ORD_HDR" ("ORD_DT", "ORD_TS", "CURR_CD", "BILL_TO", "REC_VER", "MOD_DT")` +
        ` VALUES ('2026-01-02', '2026-01-02T10:00:00Z', 'EUR', 1, 1, now()) RETURNING "ORD_NO"`,
    );
    const key = Number(row?.[0]);
    const values = lines.map(
      ({ line, product }) => `(${key}, ${line}, ${product}, 1, 10.25, 1, now())`,
    );
    await change(
      connection,
      `INSERT INTO ${table} ("ORD_NO", "LINE_NO", "PRD_ID", "QTY", "UNIT_PRC", "REC_VER", "MOD_DT") VALUES ${values.join(', ')}`,
    );
    await query(connection, `SELECT * FROM "SALES"."ORD_HDR" WHERE "ORD_NO" = ${key}`);
    await query(connection, `SELECT * FROM ${table} WHERE "ORD_NO" = ${key}`);
  });
}

for (const target of [pgliteTarget, postgresTarget]) {
  const missing = await target.unavailable();
  if (missing !== null) {
    console.log(`${target.name}: not reached: ${missing}`);
    continue;
  }
  const opened = await target.open();
  const gateway = await startGateway(opened.database);
  const times = { one: [] as number[], two: [] as number[], hand: [] as number[] };
  for (let turn = 0; turn < turns; turn += 1) {
    times.one.push(await time(() => post(gateway, '/rest/Order', { ...head, lines })));
    times.two.push(await time(() => inTwo(gateway)));
    times.hand.push(await time(() => byHand(gateway)));
  }
  const ratio = (other: readonly number[]): string =>
    median(times.one.map((one, turn) => one / (other[turn] ?? 1))).toFixed(2);
  console.log(
    `${target.name}, an order with ${LINES} lines: one request ${spread(times.one, 1)} ms, two ${spread(times.two, 1)} ms,` +
      ` ratio ${ratio(times.two)}; by hand ${spread(times.hand, 1)} ms, ratio ${ratio(times.hand)}`,
  );
  await gateway.close();
  await opened.close();
}
