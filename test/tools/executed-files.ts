/**
 * Prints which files of `src/` a warm request runs functions of: `npm run executed-files`, on PostgreSQL where ENTITYGATE_TEST_POSTGRES_URL names a server,
 * otherwise on the embedded database. With `-- --list` it names the files.
 */
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import { pgliteTarget } from '../targets/pglite.ts';
import { postgresTarget } from '../targets/postgres.ts';

const WARM_UP = 10;

interface WarmRequest {
  readonly name: string;
  readonly send: (gateway: Gateway) => Promise<{ readonly status: number; readonly text: string }>;
}

const requests: readonly WarmRequest[] = [
  { name: 'an entity by key', send: ({ get }) => get('/rest/Employee(1)') },
  {
    name: 'a filter with $expand',
    send: ({ get }) =>
      get('/rest/Employee?$filter="grade>2 AND lastName=\'s*\'"&$expand=employer&$top=20'),
  },
  {
    name: 'an order saved with its lines',
    send: ({ get }) =>
      get('/rest/Order?$method=update', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          billTo: 1,
          shipTo: 1,
          date: '2026-01-02',
          placedAt: '2026-01-02T03:04:05Z',
          currency: 'EUR',
          lines: [
            { line: 1, product: 1, quantity: 2, unitPrice: 3 },
            { line: 2, product: 2, quantity: 1, unitPrice: 5 },
          ],
        }),
      }),
  },
];

/** The files of `src/` of which functions have run since the last call. */
async function takeExecuted(session: Session): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.includes('/src/') && !url.includes('/node_modules/'))
    .filter(({ functions }) => functions.some(({ ranges: [range] }) => (range?.count ?? 0) > 0))
    .map(({ url }) => relative('src', fileURLToPath(url.replace(/\?.*$/, ''))))
    .toSorted();
}

const list = process.argv.includes('--list');
const onServer = (await postgresTarget.unavailable()) === null;
const target = onServer ? postgresTarget : pgliteTarget;
const database = await target.open();
const gateway = await startGateway(database.database);
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
console.log(`Files of src/ that a warm request runs, on ${gateway.database.version}:`);
for (const { name, send } of requests) {
  for (let index = 0; index < WARM_UP; index++) {
    const { status, text } = await send(gateway);
    if (status !== 200) throw new Error(`${name}: ${status} ${text}`);
  }
  await takeExecuted(session);
  await send(gateway);
  const files = await takeExecuted(session);
  console.log(`${String(files.length).padStart(4)}  ${name}`);
  if (list) for (const file of files) console.log(`        ${file}`);
}
session.disconnect();
await gateway.close();
await database.close();
