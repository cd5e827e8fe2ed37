/**
 * `npm run bench` runs it, too: an export of a million rows by a gateway in a process of its own, beside what `COPY … TO STDOUT` gives a writer by hand in
 * another one, on the PostgreSQL that ENTITYGATE_TEST_POSTGRES_URL names. Both send the same text. It tells how long both take in all and to their first
 * byte, and the most memory of the gateway.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runGateway } from '../../integration/gateway-process.ts';
import build from '../../targets/build.ts';
import { openPostgresDatabase, postgresTarget } from '../../targets/postgres.ts';
import { alternated, shown } from './alternated.ts';
import { peak } from './peak.ts';
import { spread } from './timing.ts';

const ROWS = 1_000_000;
const TURNS = 5;

const schema = `
CREATE SCHEMA app;
CREATE TABLE app.item (id int PRIMARY KEY, ver int NOT NULL DEFAULT 1, name text NOT NULL, price numeric(10, 2) NOT NULL, quantity int NOT NULL, sold_on date, active boolean NOT NULL);
INSERT INTO app.item SELECT n, 1, 'Item number ' || n, n % 9973 * 0.25, n % 500, CASE WHEN n % 10 > 0 THEN DATE '2020-01-01' + n % 2000 END, n % 3 = 0 FROM generate_series(1, ${ROWS}) n;
ANALYZE app.item;
`;

const mapping = `dataclass: Item
table: app.item
key: [id]
stamp: { counter: ver }
attributes: { id: id, name: name, price: price, quantity: quantity, soldOn: sold_on, active: active }
`;

interface Received {
  readonly bytes: number;
  /** In milliseconds. */
  readonly firstByte: number;
}

function receive(url: string): Promise<Received> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      let bytes = 0;
      let firstByte = 0;
      response.on('data', ({ length }: Buffer) => {
        if (bytes === 0) firstByte = performance.now() - start;
        bytes += length;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ bytes, firstByte }));
    }).on('error', reject);
  });
}

const missing = await postgresTarget.unavailable();
if (missing === null) await measure();
else console.log(`Exports are measured on PostgreSQL alone: ${missing}`);

async function measure(): Promise<void> {
  build();
  const folder = await mkdtemp(join(tmpdir(), 'entitygate-bench-'));
  const opened = await openPostgresDatabase(schema);
  const { database } = opened;
  if (database.engine !== 'postgres') throw new Error('another engine');
  const mappings = join(folder, 'mappings');
  await mkdir(mappings);
  await writeFile(join(mappings, 'item.yaml'), mapping);
  const config = join(folder, 'config.yaml');
  const settings = { server: { port: 0 }, log: { level: 'error' }, mappings: 'mappings', database };
  await writeFile(config, JSON.stringify(settings));
  const byHand = fork(new URL('export-by-hand.ts', import.meta.url), [database.url]);
  const { serving, child, ended } = runGateway(['serve', '--config', config]);
  try {
    const [port] = (await once(byHand, 'message')) as [number];
    const url = `${await serving}/rest/Item?$format=ndjson`;
    await peak(child.pid);
    const firstBytes: number[] = [];
    const sizes = new Set<number>();
    const received = async (from: string): Promise<number> => {
      const { bytes, firstByte } = await receive(from);
      sizes.add(bytes);
      return firstByte;
    };
    const sides = await alternated(
      TURNS,
      async () => firstBytes.push(await received(url)),
      () => received(`http://127.0.0.1:${port}`),
    );
    const [bytes = 0, ...others] = sizes;
    if (others.length > 0) throw new Error(`the sides send different texts: ${[...sizes].join()}`);
    const mb = (bytes / 1e6).toFixed(0);
    console.log(
      `${ROWS} rows, ${mb} MB, as lines of JSON / COPY and a writer by hand: ${shown(sides)}`,
    );
    const most = ((await peak(child.pid)) / 1e6).toFixed(0);
    console.log(
      `  first byte after ${spread(firstBytes, 1)} ms; the gateway takes ${most} MB at most`,
    );
  } finally {
    byHand.kill();
    child.kill('SIGTERM');
    await ended;
    await opened.close();
    await rm(folder, { recursive: true, force: true });
  }
}
