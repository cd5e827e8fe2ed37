/**
 * `npm run bench:state -- [keys]`: what state that several gateways share costs, beside state in the memory of one, on PostgreSQL
 * (ENTITYGATE_TEST_POSTGRES_URL) and a store that is started for it: a read without a session, new sessions, pages of a set, by one gateway and by three;
 * and how much memory of the store sessions, sets, locks and uploads take. The sides of each ratio take turns.
 */
import { Agent, request } from 'node:http';
import { testFolder } from '../../config/files.ts';
import { runGateway } from '../../integration/gateway-process.ts';
import { openPostgresDatabase } from '../../targets/postgres.ts';
import { openStateStore } from '../../targets/state-store.ts';
import { alternated, shown } from './alternated.ts';

const keys = Number(process.argv[2] ?? 1_000_000);
const TURNS = 11;
const CONNECTIONS = 8;
const REQUESTS = 1500;
const LOCKS = 100;

const opened = await openPostgresDatabase(
  `CREATE TABLE item (id int PRIMARY KEY, nm varchar(40) NOT NULL);
   INSERT INTO item SELECT n, 'Item ' || n FROM generate_series(1, ${keys}) n; ANALYZE item;`,
);
const store = await openStateStore();
const folder = await testFolder();
await folder.write('mappings/item.yaml', 'table: public.item');
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

interface Served {
  readonly address: string;
  readonly stop: () => Promise<unknown>;
}

async function serve(name: string, settings: string): Promise<Served> {
  const { database } = opened;
  if (database.engine !== 'postgres') throw new Error('not a PostgreSQL server');
  const path = await folder.write(
    `${name}.yaml`,
    `server: { port: 0 }
database: { engine: postgres, url: '${database.url}' }
stampSecret: the secret of all gateways
log: { level: error }
locks: true
sessions: { max: 200000 }
${settings}`,
  );
  const { child, serving, ended } = runGateway(['serve', '--config', path]);
  const stop = (): Promise<unknown> => {
    child.kill('SIGTERM');
    return ended;
  };
  return { address: await serving, stop };
}

/** Sends a request. @returns the body */
function send(address: string, path: string, body?: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    request(`${address}/rest/${path}`, { agent, method }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`${path}: ${answer.statusCode ?? 0} ${text}`));
      });
    })
      .on('error', reject)
      .end(body);
  });
}

/** Sends so many requests by several connections, to the gateways in turn. */
async function load(
  gateways: readonly Served[],
  path: (turn: number) => string,
  times = REQUESTS,
): Promise<void> {
  let sent = 0;
  const client = async (): Promise<void> => {
    while (sent < times) {
      const turn = sent;
      sent += 1;
      await send(gateways[turn % gateways.length]?.address ?? '', path(turn));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
}

async function makeSet({ address }: Served, query = ''): Promise<string> {
  const text = await send(address, `Item?${query}$method=entityset&$top=0`);
  const [id] = /[0-9A-F]{46}/.exec(text) ?? [];
  if (id === undefined) throw new Error(text);
  return id;
}

async function usedBytes(): Promise<number> {
  const info = String(await store.command('INFO', 'memory'));
  return Number(/used_memory:(\d+)/.exec(info)?.[1]);
}

/** What one of many takes in the store. */
async function bytesOfEach(what: string, count: number, make: () => Promise<void>): Promise<void> {
  const before = await usedBytes();
  await make();
  console.log(`  ${what}: ${((await usedBytes()) - before) / count} bytes`);
}

const shared = `state: { url: '${store.settings.url}' }`;
const memory = await serve('memory', '');
const gateways = [];
for (const name of ['one', 'two', 'three']) gateways.push(await serve(name, shared));
const [first] = gateways;
if (first === undefined) throw new Error('no gateway was started');
try {
  const compare = async (
    what: string,
    sides: (served: readonly Served[], isShared: boolean) => Promise<unknown>,
    several: readonly Served[] = [first],
  ): Promise<void> => {
    const found = await alternated(
      TURNS,
      () => sides(several, true),
      () => sides([memory], false),
    );
    console.log(`${what}: ${shown(found)}`);
  };
  console.log(
    `${REQUESTS} requests by ${CONNECTIONS} connections, with the store / in memory; a set has ${keys} keys`,
  );
  const byKey = (turn: number): string => `Item(${(turn % keys) + 1})`;
  const plain = (served: readonly Served[]): Promise<void> => load(served, byKey);
  await compare('a read without a session', plain);
  let locked = 0;
  // Their locks stay, and the server has room for some thousands.
  const lock = (served: readonly Served[]): Promise<void> =>
    load(served, () => `Item(${(locked += 1)})?$lock=true`, LOCKS);
  await compare(`${LOCKS} new sessions, each with a lock`, lock);
  const made = await alternated(
    5,
    () => makeSet(first),
    () => makeSet(memory),
  );
  console.log(`a set of all, once: ${shown(made)}`);
  const [inStore, inMemory] = [await makeSet(first), await makeSet(memory)];
  const pages = (served: readonly Served[], isShared: boolean): Promise<void> =>
    load(served, (turn) => {
      const skip = (turn * 7919) % (keys - 20);
      return `Item/$entityset/${isShared ? inStore : inMemory}?$skip=${skip}&$top=20`;
    });
  await compare('pages of the set by one gateway', pages);
  await compare('pages of the set by three gateways', pages, gateways);
  await compare('reads without a session by three gateways', plain, gateways);
  const combine = (served: readonly Served[], isShared: boolean): Promise<string> => {
    const id = isShared ? inStore : inMemory;
    const path = `Item/$entityset/${id}?$logicOperator=AND&$otherCollection=${id}&$top=0`;
    return send(served[0]?.address ?? '', path);
  };
  await compare('AND of the set with itself, once', combine);
  console.log('memory of the store for each');
  await store.command('FLUSHALL');
  await bytesOfEach('session', 500, () => load([first], () => '$info', 500));
  await bytesOfEach('set of ten keys', 1000, () =>
    load([first], () => 'Item?$filter="id<11"&$method=entityset&$top=0', 1000),
  );
  await bytesOfEach('key of a set of all', keys, async () => {
    await makeSet(first);
  });
  await bytesOfEach('lock with its session', 500, () =>
    load([first], (turn) => `Item(${keys - turn})?$lock=true`, 500),
  );
  await bytesOfEach('upload of 10,000 bytes', 100, async () => {
    for (let turn = 0; turn < 100; turn += 1) {
      await send(first.address, '$upload?$binary=true', Buffer.alloc(10_000, turn));
    }
  });
} finally {
  agent.destroy();
  await Promise.all([memory, ...gateways].map(({ stop }) => stop()));
  await folder.remove();
  await store.close();
  await opened.close();
}
