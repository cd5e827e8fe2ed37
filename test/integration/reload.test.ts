import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { apiKeyHash, makeApiKey } from '../../src/access/auth/api-keys.ts';
import { type App, buildApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { ReloadReport } from '../../src/server/reload/changes.ts';
import { testFolder, type TestFolder } from '../config/files.ts';
import { nothing, reloadReport } from './reload-report.ts';

const boss = makeApiKey();
const clerk = makeApiKey();

const SEED = `create table person (id int primary key, name text, city text);
insert into person select n, 'Name ' || n, case when n % 2 = 0 then 'Rome' else 'Bonn' end from generate_series(1, 20) n;
create table place (id int primary key, name text);
insert into place values (1, 'Rome');
`;

const PERSON = `dataclass: Person
table: public.person
attributes: { id: id, name: name, city: city }
`;
const PLACE = 'dataclass: Place\ntable: public.place\nattributes: { id: id, name: name }\n';

let folder: TestFolder;
let app: App;
let base: string;

async function configure(reader: string, keys = [boss, clerk], more = ''): Promise<void> {
  const entries = keys.map(
    (key) =>
      `    - { name: ${key === boss ? 'boss' : 'clerk'}, hash: 'sha256:${apiKeyHash(key)}', roles: [${key === boss ? 'admin' : 'reader'}] }`,
  );
  await folder.write(
    'config.yaml',
    `server: { port: 0, watch: true }
log: { level: silent }
database: { engine: pglite, directory: 'memory:', seed: seed.sql }
audit: { to: audit.log }
authentication:
  apiKeys:
${entries.join('\n')}
roles:
  reader:
    dataclasses: { '*': { read: true }${reader === '' ? '' : `, ${reader}`} }
${more}`,
  );
}

interface Told {
  readonly status: number;
  readonly body: unknown;
}

async function ask(path: string, key: string | null = boss, method = 'GET'): Promise<Told> {
  const headers: Record<string, string> = key === null ? {} : { 'api-key': key };
  const answer = await fetch(`${base}${path}`, { method, headers });
  return { status: answer.status, body: await answer.json() };
}

const reload = (key: string | null = boss): Promise<Told> => ask('/rest/$info/reload', key, 'POST');

const report = (given: Partial<ReloadReport>): Told => ({ status: 200, body: reloadReport(given) });

async function makeSet(key: string): Promise<string> {
  const { body } = await ask('/rest/Person?$filter="id < 4"&$method=entityset', key);
  return (body as { __ENTITYSET: string }).__ENTITYSET;
}

beforeAll(async () => {
  folder = await testFolder();
  await folder.write('seed.sql', SEED);
  await folder.write('mappings/Person.yaml', PERSON);
  await folder.write('mappings/Place.yaml', PLACE);
  await configure('');
  const load = () => loadConfig(join(folder.path, 'config.yaml'), {});
  const config = await load();
  // What is watched is read by a test of its own.
  app = await buildApp(
    { ...config, server: { ...config.server, watch: false } },
    undefined,
    undefined,
    null,
    async () => {
      const read = await load();
      return { ...read, server: { ...read.server, watch: false } };
    },
  );
  base = await app.server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await app.close();
  await folder.remove();
});

test('the OpenAPI document is written anew, for each role', async () => {
  const documentOf = async (key: string): Promise<{ tag: string | null; names: unknown }> => {
    const headers = { 'api-key': key };
    const answer = await fetch(`${base}/rest/$openapi`, { headers });
    const { components } = (await answer.json()) as {
      components: { schemas: { 'Person.Attributes': { properties: object } } };
    };
    const names = Object.keys(components.schemas['Person.Attributes'].properties);
    return { tag: answer.headers.get('etag'), names };
  };
  await configure('Person: { read: true, attributes: { city: hidden } }');
  await reload();
  const [all, some] = [await documentOf(boss), await documentOf(clerk)];
  expect([all.names, some.names]).toEqual([
    ['id', 'name', 'city'],
    ['id', 'name'],
  ]);
  expect(await documentOf(boss)).toEqual(all);
  const headers = { 'api-key': boss, 'if-none-match': all.tag ?? '' };
  expect((await fetch(`${base}/rest/$openapi`, { headers })).status).toBe(304);
  await configure('');
  await reload();
  expect([await documentOf(boss), await documentOf(clerk)]).toMatchObject([
    all,
    { names: all.names },
  ]);
  await folder.write('mappings/Person.yaml', PERSON.replace(', city: city', ''));
  await reload();
  expect((await documentOf(boss)).names).toEqual(['id', 'name']);
  expect((await fetch(`${base}/rest/$openapi`, { headers })).status).toBe(200);
  await folder.write('mappings/Person.yaml', PERSON);
  await reload();
});

test('a description is a change, by which no set is lost', async () => {
  const set = await makeSet(boss);
  const changed = { dataclasses: { ...nothing, changed: ['Person'] } };
  await folder.write('mappings/Person.yaml', `${PERSON}description: Somebody.\n`);
  expect(await reload()).toEqual(report(changed));
  await folder.write(
    'mappings/Person.yaml',
    PERSON.replace('city: city', 'city: { column: city, description: Where. }'),
  );
  expect(await reload()).toEqual(report(changed));
  expect((await ask(set)).status).toBe(200);
  await folder.write('mappings/Person.yaml', PERSON);
  expect(await reload()).toEqual(report(changed));
});

test('a broken file changes nothing, and every way tells why', async () => {
  await folder.write('mappings/Place.yaml', PLACE.replace('id: id', 'id: nowhere'));
  const { status, body } = await reload();
  const { __ERROR } = body as { __ERROR: { message: string; errCode: number }[] };
  expect([status, __ERROR.map(({ errCode }) => errCode)]).toEqual([422, [9065, 9065]]);
  expect(__ERROR[1]?.message).toMatch(/mappings\/Place\.yaml:3:\d+: .*nowhere/);
  expect((await ask('/rest/Place(1)')).body).toMatchObject({ name: 'Rome' });
  const stranger = await ask('/health/ready', null);
  const failedAt = expect.any(String) as string;
  expect(stranger.body).toEqual({ status: 'ready', reload: { failedAt } });
  expect((await ask('/health/ready')).body).toEqual({
    status: 'ready',
    reload: {
      failedAt,
      more: 0,
      problems: [
        {
          where: expect.stringMatching(/Place\.yaml:3:/) as string,
          message: expect.any(String) as string,
        },
      ],
    },
  });
  await folder.write('mappings/Place.yaml', PLACE);
  expect((await reload()).status).toBe(200);
  expect((await ask('/health/ready')).body).toEqual({ status: 'ready' });
});

test('only administrators reload', async () => {
  expect((await reload(clerk)).body).toMatchObject({ __ERROR: [{ errCode: 9063 }] });
  expect((await reload(null)).status).toBe(401);
  expect((await ask('/rest/$info/reload')).status).toBe(405);
});

test('reports are read again, and listed for those who may see all that they name', async () => {
  const listed = async (key: string): Promise<unknown> => {
    const { reports } = (await ask('/rest/$reports', key)).body as { reports: { name: string }[] };
    return reports.map(({ name }) => name);
  };
  expect(await listed(boss)).toEqual([]);
  const ofPerson = 'title: People\ndataclass: Person\n';
  await folder.write('reports/cities.yaml', `${ofPerson}aggregate: distinct(city)\n`);
  await folder.write('reports/people.yaml', ofPerson);
  await folder.write('reports/places.yaml', 'title: Places\ndataclass: Place\ngroupby: name\n');
  await folder.write('reports/romans.yaml', `${ofPerson}filter: city = 'Rome'\n`);
  const added = ['cities', 'people', 'places', 'romans'];
  expect(await reload()).toEqual(report({ reports: { ...nothing, added } }));
  expect([await listed(boss), await listed(clerk)]).toEqual([added, added]);

  await configure(
    'Person: { read: "id < 5", attributes: { city: hidden } }, Place: { read: false }',
  );
  await reload();
  expect([await listed(boss), await listed(clerk)]).toEqual([added, ['people']]);

  await folder.write('reports/people.yaml', `${ofPerson}groupby: town\n`);
  const { status, body } = await reload();
  const { __ERROR } = body as { __ERROR: { message: string }[] };
  expect([status, __ERROR[1]?.message]).toEqual([
    422,
    `${folder.path}/reports/people.yaml:3:10: Dataclass Person has no attribute town. Known: id, name, city. (at position 1 of $groupby)`,
  ]);
  expect(await listed(clerk)).toEqual(['people']);

  await folder.write('reports/people.yaml', `${ofPerson}top: 3\n`);
  await rm(join(folder.path, 'reports/cities.yaml'));
  const changes = { added: [], removed: ['cities'], changed: ['people'] };
  expect(await reload()).toEqual(report({ reports: changes }));
  await configure('');
  await rm(join(folder.path, 'reports'), { recursive: true });
  await reload();
});

test('a changed policy of a role holds at once, and sets made before are lost', async () => {
  const set = await makeSet(clerk);
  expect((await ask(set, clerk)).status).toBe(200);
  await configure(`Person: { read: "city = 'Rome'" }`);
  expect(await reload()).toEqual(report({ roles: { ...nothing, changed: ['reader'] } }));
  expect((await ask(set, clerk)).status).toBe(404);
  expect((await ask('/rest/Person?$filter="id<5"', clerk)).body).toMatchObject({ __COUNT: 2 });
});

test('a dataclass and a key that were removed are refused, and settings that need a restart are named', async () => {
  await rm(join(folder.path, 'mappings/Place.yaml'));
  await configure('', [boss], 'timeZone: Europe/Paris\nsessions: { max: 10 }\n');
  expect(await reload()).toEqual(
    report({
      dataclasses: { ...nothing, removed: ['Place'] },
      roles: { ...nothing, changed: ['reader'] },
      apiKeys: { ...nothing, removed: ['clerk'] },
      needsRestart: ['timeZone', 'sessions.max'],
    }),
  );
  expect((await ask('/rest/Place')).status).toBe(404);
  expect((await ask('/rest/Person', clerk)).status).toBe(401);
});

test('files are read again when they change', { timeout: 20_000 }, async () => {
  const config = await loadConfig(join(folder.path, 'config.yaml'), {});
  const watching = await buildApp(config, undefined, undefined, null, () =>
    loadConfig(join(folder.path, 'config.yaml'), {}),
  );
  try {
    expect(watching.model.dataclasses.has('Place')).toBe(false);
    await folder.write('mappings/Place.yaml', PLACE);
    await vi.waitFor(() => expect(watching.model.dataclasses.has('Place')).toBe(true), {
      timeout: 10_000,
    });
    // The folder is new, too.
    for (const name of ['first', 'second']) {
      await folder.write(`reports/${name}.yaml`, 'title: Places\ndataclass: Place\n');
      const listed = async (): Promise<string> => {
        const headers = { 'api-key': boss };
        return (await watching.server.inject({ url: '/rest/$reports', headers })).body;
      };
      await vi.waitFor(async () => expect(await listed()).toContain(`"name":"${name}"`), {
        timeout: 10_000,
      });
    }
  } finally {
    await watching.close();
  }
});
