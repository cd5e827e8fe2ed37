/**
 * `npm run soak [minutes]`: many clients that make, page, combine, clean, release and forget entity sets of all sizes, on a gateway in a process of its own with
 * little room for sets, in front of PostgreSQL (ENTITYGATE_TEST_POSTGRES_URL). It prints the memory of the process as it goes: it has to stay flat
 * after the first minute.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runGateway } from '../../integration/gateway-process.ts';
import { openPostgresDatabase } from '../../targets/postgres.ts';

const minutes = Number(process.argv[2] ?? 3);
const CLIENTS = 40;
const ROWS = 40_000;

const opened = await openPostgresDatabase(
  'CREATE SCHEMA app; CREATE TABLE app.item (id int PRIMARY KEY, code varchar(20) NOT NULL UNIQUE, grp int NOT NULL);' +
    ` INSERT INTO app.item SELECT n, 'C-' || n, n % 1000 FROM generate_series(1, ${ROWS}) n; ANALYZE app.item`,
);
const folder = await mkdtemp(join(tmpdir(), 'entitygate-soak-'));
const url = opened.database.engine === 'postgres' ? opened.database.url : '';
const table = 'table: app.item\nstamp: none\n';
await writeFile(
  join(folder, 'config.yaml'),
  [
    'server: { port: 0 }',
    'log: { level: error }',
    'entitySets: { maxBytes: 4194304, maxSetBytes: 2097152, maxPerSession: 500 }',
    `database: { engine: postgres, url: ${JSON.stringify(url)} }`,
    'mappings: mappings',
  ].join('\n'),
);
const mappings = join(folder, 'mappings');
await mkdir(mappings);
await writeFile(join(mappings, 'item.yaml'), `dataclass: Item\n${table}`);
await writeFile(join(mappings, 'coded.yaml'), `dataclass: Coded\n${table}key: [code]\n`);

const gateway = runGateway(['serve', '--config', join(folder, 'config.yaml')]);
const address = await gateway.serving;
const answers = new Map<string, number>();

async function ask(path: string): Promise<{ __ENTITYSET?: string }> {
  const answer = await fetch(`${address}/rest/${path}`);
  const body = (await answer.json()) as { __ENTITYSET?: string; __ERROR?: { errCode: number }[] };
  const outcome = String(body.__ERROR?.[0]?.errCode ?? answer.status);
  answers.set(outcome, (answers.get(outcome) ?? 0) + 1);
  return body;
}

const random = (most: number): number => Math.floor(Math.random() * most);

async function makeSet(name: string): Promise<string | null> {
  const below = 10 ** (1 + random(3));
  const made = await ask(
    `${name}?$filter="grp<${below}"&$method=entityset&$top=${random(20)}&$timeout=${1 + random(20)}`,
  );
  return made.__ENTITYSET?.replace('/rest/', '') ?? null;
}

async function client(until: number): Promise<void> {
  while (Date.now() < until) {
    const name = random(3) === 0 ? 'Coded' : 'Item';
    const [one, other] = [await makeSet(name), await makeSet(name)];
    if (one === null || other === null) continue;
    for (let page = 0; page < random(8); page += 1)
      await ask(`${one}?$skip=${random(ROWS)}&$top=50`);
    const operator = ['AND', 'OR', 'EXCEPT', 'INTERSECT'][random(4)] ?? 'AND';
    const keep = operator === 'INTERSECT' ? '' : '&$method=entityset&$timeout=5';
    const id = other.split('/').at(-1) ?? '';
    await ask(`${one}?$logicOperator=${operator}&$otherCollection=${id}&$top=10${keep}`);
    if (random(4) === 0) await ask(`${one}?$clean=true&$top=5&$method=entityset`);
    if (random(4) === 0) await ask(`${one}?$filter="grp=5"&$orderby="code desc"&$top=5`);
    if (random(2) === 0) await ask(`${one}?$method=release`);
    // Some leave in the middle.
    if (random(10) === 0) {
      const leaving = new AbortController();
      const left = fetch(`${address}/rest/Item?$method=entityset`, { signal: leaving.signal });
      setTimeout(() => {
        leaving.abort();
      }, random(50));
      await left
        .then(
          (answer) => answer.arrayBuffer(),
          () => undefined,
        )
        .catch(() => undefined);
    }
  }
}

/** The resident memory of the gateway, in MB. */
async function memory(): Promise<number> {
  const status = await readFile(`/proc/${gateway.child.pid ?? 0}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

const end = Date.now() + minutes * 60_000;
const clients = Array.from({ length: CLIENTS }, () => client(end));
while (Date.now() < end) {
  await sleep(15_000);
  const left = Math.max(0, Math.round((end - Date.now()) / 1000));
  console.log(
    `${left} s to go: ${await memory()} MB, answers ${JSON.stringify(Object.fromEntries(answers))}`,
  );
}
await Promise.all(clients);
gateway.child.kill('SIGTERM');
await gateway.ended;
await opened.close();
await rm(folder, { recursive: true });
