import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiKeyHash, makeApiKey } from '../../src/access/auth/api-keys.ts';
import { type App, buildApp, openDatabase } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Database } from '../../src/database/database.ts';
import { testFolder, type TestFolder } from '../config/files.ts';

const PASSWORD = 'geheimwort';
/** The hash of the password, by `entitygate user`. */
const HASH =
  '$scrypt$ln=16,r=8,p=1$YWFhYWFhYWFhYWFhYWFhYQ$XVc80fxmCbjW1lY3AYp7yIaFYUTJIcEFyZeaP6A9PQc';

const THING = 'dataclass: Thing\ntable: public.thing\n';
const boss = makeApiKey();

let folder: TestFolder;
let app: App;
let base: string;
/** Ends the wait of the reads that are held. */
let holding: Promise<void> | null = null;
/** Called when a read is held. */
let reached = (): void => undefined;

async function users(roles: string, more = ''): Promise<void> {
  await folder.write(
    'users.yaml',
    `users:\n  ada:\n    password: ${HASH}\n    roles: [${roles}]\n${more}`,
  );
}

/** Opens the database, so that tests can hold up what it answers. */
async function open(config: Parameters<typeof openDatabase>[0]): Promise<Database> {
  const database = await openDatabase(config);
  const { run } = database;
  return {
    ...database,
    run: async (...given) => {
      const result = await run.apply(database, given);
      if (holding !== null) {
        reached();
        await holding;
      }
      return result;
    },
  };
}

interface Told {
  readonly status: number;
  readonly body: unknown;
  readonly session: string | null;
}

/** Asks with the headers of somebody. */
async function ask(path: string, headers: Record<string, string>, method = 'GET'): Promise<Told> {
  const answer = await fetch(`${base}${path}`, { method, headers });
  const session = answer.headers.get('entitygate-session');
  return { status: answer.status, body: await answer.json(), session };
}

const bossHeaders = { 'api-key': boss };
const reload = (): Promise<Told> => ask('/rest/$info/reload', bossHeaders, 'POST');

const login = { 'username-4D': 'ada', 'password-4D': PASSWORD };

beforeAll(async () => {
  folder = await testFolder();
  await folder.write(
    'seed.sql',
    "create table thing (id int primary key, name text); insert into thing values (1, 'a'), (2, 'b');",
  );
  await folder.write('mappings/Thing.yaml', THING);
  await users('reader');
  await folder.write(
    'config.yaml',
    `server: { port: 0 }
log: { level: silent }
database: { engine: pglite, directory: 'memory:', seed: seed.sql }
audit: { to: audit.log }
authentication:
  users: users.yaml
  apiKeys: [{ name: boss, hash: 'sha256:${apiKeyHash(boss)}', roles: [admin] }]
roles:
  reader: { dataclasses: { '*': { read: true } } }
  writer: { dataclasses: { '*': { read: true, update: true } } }
`,
  );
  const load = () => loadConfig(join(folder.path, 'config.yaml'), {});
  app = await buildApp(await load(), open, undefined, null, load);
  base = await app.server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await app.close();
  await folder.remove();
});

test('a login, its session and its locks live on, with the roles that the file has now', async () => {
  await users('writer');
  expect((await reload()).status).toBe(200);
  const { status, session } = await ask('/rest/$directory/login', login, 'POST');
  expect(status).toBe(200);
  const ada = { 'entitygate-session': session ?? '' };
  expect((await ask('/rest/Thing(1)?$lock=true', ada)).body).toMatchObject({ result: true });

  expect((await reload()).status).toBe(200);
  const held = { result: true, __STATUS: { success: true, own: true, lost: false } };
  expect((await ask('/rest/Thing(1)?$lock=status', ada)).body).toEqual(held);
  expect((await ask('/rest/Thing(1)?$lock=true', bossHeaders)).body).toMatchObject({
    result: false,
    __STATUS: { status: 3 },
  });

  await users('reader');
  expect((await reload()).body).toMatchObject({
    users: { added: [], removed: [], changed: ['ada'] },
  });
  expect((await ask('/rest/Thing(1)?$lock=status', ada)).status).toBe(403);
  expect((await ask('/rest/Thing(1)', ada)).status).toBe(200);

  await users('reader', '    disabled: true\n');
  expect((await reload()).status).toBe(200);
  expect((await ask('/rest/Thing(1)', ada)).status).toBe(401);
});

test('a request that has begun finishes with the model that it began with', async () => {
  let goOn = (): void => undefined;
  holding = new Promise((resolve) => (goOn = resolve));
  const isHeld = new Promise<void>((resolve) => (reached = resolve));
  const begun = ask('/rest/Thing(2)', bossHeaders);
  await isHeld;
  await folder.write('mappings/Thing.yaml', THING.replace('Thing', 'Renamed'));
  expect((await reload()).body).toMatchObject({
    dataclasses: { added: ['Renamed'], removed: ['Thing'] },
  });
  const late = ask('/rest/Thing(2)', bossHeaders);
  goOn();
  holding = null;
  expect([(await begun).status, (await begun).body, (await late).status]).toEqual([
    200,
    expect.objectContaining({ name: 'b' }),
    404,
  ]);
});

test('the audit log has a line for each reload, with the user and the outcome', async () => {
  await folder.write('mappings/Thing.yaml', 'dataclass: Thing\n');
  expect((await reload()).status).toBe(422);
  await app.close();
  const lines = (await readFile(join(folder.path, 'audit.log'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ action }) => action === 'reload');
  expect(lines.map(({ user, outcome }) => [user, outcome])).toEqual([
    ...new Array<unknown>(5).fill(['boss', 'done']),
    ['boss', 'failed'],
  ]);
});
