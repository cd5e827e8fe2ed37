/**
 * `npm run bench:changes -- [rows] [streams]`: what following changes costs on PostgreSQL (ENTITYGATE_TEST_POSTGRES_URL): rounds of `$changes` of a
 * large table with nothing new and with few changed rows, and many streams: the processor time and memory of the gateway, and how long it takes until
 * all have heard of a change.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { testFolder } from '../../config/files.ts';
import { runGateway } from '../../integration/gateway-process.ts';
import { EventReader } from '../../integration/sse.ts';
import { openPostgresDatabase } from '../../targets/postgres.ts';
import { change } from '../../targets/sql.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const streams = Number(process.argv[3] ?? 1000);
const TURNS = 11;
const SECONDS = 20;

const opened = await openPostgresDatabase(
  `CREATE TABLE item (id int PRIMARY KEY, nm varchar(40) NOT NULL, n int NOT NULL DEFAULT 0);
   CREATE TABLE other (n int);
   INSERT INTO item SELECT n, 'Item ' || n FROM generate_series(1, ${rows}) n;`,
);
const { database: settings } = opened;
if (settings.engine !== 'postgres') throw new Error('not a PostgreSQL server');
const folder = await testFolder();
await folder.write('mappings/item.yaml', 'dataclass: Item\ntable: public.item');
const path = await folder.write(
  'config.yaml',
  `server: { port: 0 }\ndatabase: { engine: postgres, url: '${settings.url}' }\nlog: { level: error }\nchanges: { maxStreams: ${streams} }\n`,
);
const database = await openDatabase(await loadConfig(path, {}));
await change(database, 'ANALYZE item');
const { child, serving, ended } = runGateway(['serve', '--config', path]);
const address = await serving;

interface Page {
  readonly __ENTITIES: readonly unknown[];
  readonly __MORE: boolean;
  readonly __TOKEN: string;
}

async function page(since: string | null): Promise<Page> {
  const end = since === null ? '' : `&since=${since}`;
  const answer = await fetch(`${address}/rest/Item/$changes?$top=500&$attributes=n${end}`);
  return (await answer.json()) as Page;
}

async function round(since: string | null): Promise<{ token: string; found: number }> {
  let found = 0;
  for (let token = since; ;) {
    const { __ENTITIES, __MORE, __TOKEN } = await page(token);
    found += __ENTITIES.length;
    token = __TOKEN;
    if (!__MORE) return { token, found };
  }
}

function median(values: readonly number[]): string {
  return (values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0).toFixed(
    1,
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

let { token } = await round(null);
for (const changed of [0, 1, 1000]) {
  const times: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const first = 1 + turn * 1000;
    // Something else changes in any case, so that it has to look.
    await change(database, 'INSERT INTO other VALUES (1)');
    if (changed > 0) {
      await change(
        database,
        `UPDATE item SET n = n + 1 WHERE id >= ${first} AND id < ${first + changed}`,
      );
    }
    times.push(
      await timed(async () => {
        const next = await round(token);
        if (next.found !== changed) throw new Error(`${next.found} instead of ${changed}`);
        token = next.token;
      }),
    );
  }
  console.log(`${rows} rows, ${changed} changed: a round takes ${median(times)} ms`);
}

/** The gateway's processor time in milliseconds. */
function spent(): number {
  const [user, system] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(' ').slice(13, 15);
  return (Number(user) + Number(system)) * 10;
}

function memory(): string {
  const [, kilobytes = ''] =
    /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return `${(Number(kilobytes) / 1024).toFixed(0)} MB`;
}

const { port } = new URL(address);
const before = memory();
const readers: EventReader[] = [];
for (const wanted of [0, 1, streams]) {
  while (readers.length < wanted) {
    readers.push(
      await EventReader.open(Number(port), '/rest/$changes/stream?dataclasses=Item', {}),
    );
  }
  const from = spent();
  await sleep(SECONDS * 1000);
  console.log(
    `${wanted} streams: ${((spent() - from) / SECONDS / 10).toFixed(1)} % of a processor, ${before} before, ${memory()} now`,
  );
}
const delays: number[] = [];
for (let turn = 1; turn <= TURNS; turn += 1) {
  delays.push(
    await timed(async () => {
      await change(database, `UPDATE item SET n = n + 1 WHERE id = ${turn}`);
      while (readers.some(({ events }) => events.length < turn)) await sleep(5);
    }),
  );
}
console.log(`${streams} streams: all have heard of a change after ${median(delays)} ms`);
for (const reader of readers) reader.close();
child.kill('SIGTERM');
await ended;
await database.close();
await opened.close();
await folder.remove();
