import { expect, test } from 'vitest';
import type { ReloadReport } from '../../src/server/reload/changes.ts';
import { nothing, reloadReport } from './reload-report.ts';
import { errors, onEngines, type Served, type Told } from './shapes/engines.ts';

const SCHEMA = [
  'CREATE SCHEMA app',
  'CREATE TABLE app.person (id int NOT NULL PRIMARY KEY, name varchar(20) NOT NULL, score int NOT NULL, ver int NOT NULL)',
  "INSERT INTO app.person VALUES (1, 'Ada', 10, 1), (2, 'Bob', 20, 1), (3, 'Cid', 30, 1)",
];

/** The mapping file of Person with some columns as attributes. */
const person = (...columns: readonly string[]): string =>
  `dataclass: Person\ntable: app.person\nstamp: { counter: ver }\nattributes: { ${['id', 'name', ...columns].map((name) => `${name}: ${name}`).join(', ')} }\n`;

const shape = {
  postgres: [...SCHEMA, "CREATE FUNCTION app.tell() RETURNS int LANGUAGE sql AS 'SELECT 1'"].join(
    ';\n',
  ),
  sqlserver: [...SCHEMA, 'CREATE FUNCTION app.tell() RETURNS int AS BEGIN RETURN 1 END'],
  mappings: { person: person('score') },
  settings: { authentication: { apiKeys: [], anonymous: ['admin'] } },
};

const changedPerson = { dataclasses: { ...nothing, changed: ['Person'] } };

const reloaded = (given: Partial<ReloadReport>): Told => [200, reloadReport(given)];

const reload = (served: Served): Promise<Told> => served.post('$info/reload');

const statusOf = async (served: Served, path: string): Promise<number> =>
  (await served.get(path))[0];

/** Makes an entity set. @returns its path */
async function makeSet(served: Served): Promise<string> {
  const [, body] = await served.get('Person?$filter="id < 3"&$method=entityset');
  return (body as { __ENTITYSET: string }).__ENTITYSET.replace(/^\/rest\//, '');
}

onEngines('a reload', shape, (served) => {
  test('of the same files and schema changes nothing, and entity sets live on', async () => {
    const set = await makeSet(served);
    expect(await reload(served)).toEqual(reloaded({}));
    expect((await served.get(`${set}?$attributes=id`))[1]).toMatchObject({ __COUNT: 2 });
  });

  test('takes over a column that ALTER TABLE added, and the dataclass loses its entity sets', async () => {
    const set = await makeSet(served);
    await served.run('ALTER TABLE app.person ADD size int NOT NULL DEFAULT 7');
    expect(await reload(served)).toEqual(reloaded({}));
    await served.map('person', person('score', 'size'));
    expect(await reload(served)).toEqual(reloaded(changedPerson));
    expect((await served.get('Person(1)'))[1]).toMatchObject({ name: 'Ada', size: 7 });
    expect(await statusOf(served, set)).toBe(404);
  });

  test('takes over another type of a column whose statements were prepared', async () => {
    for (const id of [1, 2, 3]) {
      expect((await served.get(`Person(${id})`))[1]).toMatchObject({ score: id * 10 });
    }
    await served.run(
      `ALTER TABLE app.person ALTER COLUMN score ${served.isSqlServer ? '' : 'TYPE '}varchar(20)`,
    );
    expect(await reload(served)).toEqual(reloaded(changedPerson));
    for (const id of [1, 2, 3]) {
      expect((await served.get(`Person(${id})`))[1]).toMatchObject({ score: `${id * 10}` });
    }
  });

  test('changes nothing where a mapped column was dropped, until the file follows', async () => {
    await served.run('ALTER TABLE app.person DROP COLUMN score');
    const problem = /person\.yaml:4:\d+: app\.person has no column score\./;
    expect(await reload(served)).toEqual([
      422,
      errors(
        [9065, 'The reload failed. The gateway continues with the previous files.'],
        [9065, expect.stringMatching(problem) as string],
      ),
    ]);
    expect((await served.get('Person(1)?$attributes=name'))[1]).toMatchObject({ name: 'Ada' });
    await served.map('person', person());
    expect(await reload(served)).toEqual(reloaded(changedPerson));
    expect((await served.get('Person(1)'))[1]).toMatchObject({ name: 'Ada' });
  });

  test('adds, changes and removes functions of the datastore', async () => {
    const told = (how: keyof typeof nothing): Told =>
      reloaded({ functions: { ...nothing, [how]: ['tell'] } });
    await served.map('functions', 'functions: { tell: { routine: app.tell } }\n');
    expect(await reload(served)).toEqual(told('added'));
    expect(await served.post('$catalog/tell')).toEqual([200, { result: 1 }]);
    await served.map('functions', 'functions: { tell: { routine: app.tell, description: X. } }\n');
    expect(await reload(served)).toEqual(told('changed'));
    await served.map('functions', 'functions: {}\n');
    expect(await reload(served)).toEqual(told('removed'));
    expect(await statusOf(served, '$catalog/tell')).toBe(404);
  });

  test('leaves the locks of a session to it, in the database, too', async () => {
    const { gateway } = served;
    const first = await gateway.get('/rest/Person(1)?$lock=true');
    expect(first.body).toMatchObject({ result: true });
    const headers = { 'entitygate-session': String(first.headers['entitygate-session']) };
    const lock = async (how: string): Promise<unknown> =>
      (await gateway.get(`/rest/Person(1)?$lock=${how}`, { headers })).body;
    expect(await reload(served)).toEqual(reloaded({}));
    expect(await lock('status')).toEqual({
      result: true,
      __STATUS: { success: true, own: true, lost: false },
    });
    const other = { __STATUS: { status: 3 }, result: false };
    expect((await served.get('Person(1)?$lock=true'))[1]).toMatchObject(other);
    expect(await lock('false')).toMatchObject({ result: true });
  });

  test('reads settings again, and names those that need a restart', async () => {
    const { gateway } = served;
    const found = async (): Promise<unknown> =>
      (await served.get('Person?$filter="name = ADA"&$attributes=id'))[1];
    const before = (await found()) as { __COUNT: number };
    gateway.configure({ ignoreCase: true, timeZone: 'Europe/Paris' });
    expect(await reload(served)).toEqual(
      reloaded({ ...changedPerson, needsRestart: ['timeZone'] }),
    );
    expect([before.__COUNT, await found()]).toMatchObject([
      // SQL Server's default collation finds it without the setting.
      served.isSqlServer ? 1 : 0,
      { __COUNT: 1 },
    ]);
    gateway.configure({ timeZone: 'UTC' });
  });

  test('is not noticed by requests that are answered meanwhile', async () => {
    let isOver = false;
    let answered = 0;
    const wrong: unknown[] = [];
    const client = async (): Promise<void> => {
      while (!isOver) {
        const [status, body] = await served.get('Person(2)?$attributes=name');
        answered += 1;
        if (status !== 200 || (body as { name?: string }).name !== 'Bob') wrong.push(body);
      }
    };
    const clients = Array.from({ length: 32 }, client);
    try {
      for (const more of ['readOnly: true\n', '', 'readOnly: true\n', '']) {
        const before = answered;
        await served.map('person', person() + more);
        expect(await reload(served)).toEqual(reloaded(changedPerson));
        await expect.poll(() => answered - before).toBeGreaterThan(32);
      }
    } finally {
      isOver = true;
      await Promise.all(clients);
    }
    expect(wrong).toEqual([]);
  });
});
