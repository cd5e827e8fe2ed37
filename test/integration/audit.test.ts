import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { StartupError } from '../../src/base/errors.ts';
import { apiKeyHash, makeApiKey } from '../../src/access/auth/api-keys.ts';
import type { Config } from '../../src/config/config.ts';
import { testFolder, type TestFolder } from '../config/files.ts';
import { startGateway, type Answer, type Gateway } from '../targets/gateway.ts';
import { pgliteTarget } from '../targets/pglite.ts';
import { change } from '../targets/sql.ts';
import type { OpenTarget } from '../targets/target.ts';
import { post } from './writing.ts';

type Line = Readonly<Record<string, unknown>>;

let folder: TestFolder;
let opened: OpenTarget;
let gateway: Gateway;
let path: string;
const key = makeApiKey();

const audit = (more: Partial<NonNullable<Config['audit']>> = {}): Config['audit'] => ({
  to: path,
  values: 'none',
  required: false,
  ...more,
});

beforeAll(async () => {
  folder = await testFolder();
  path = join(folder.path, 'audit.log');
  opened = await pgliteTarget.open();
  gateway = await startGateway(opened.database, { audit: audit() });
});
afterAll(async () => {
  await gateway.close();
  await opened.close();
  await folder.remove();
});
beforeEach(() => truncateSync(path));

function allLines(): Line[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

/** The lines since the last call, without what all lines of a request have. */
function lines(): Line[] {
  const found = allLines();
  truncateSync(path);
  return found.map(({ log, time, request, user, roles, address, ...line }) => {
    expect([log, user, roles, address]).toEqual(['audit', null, [], '127.0.0.1']);
    expect([typeof time, typeof request]).toEqual(['string', 'string']);
    return line;
  });
}

const done = (action: string, dataclass: string, key: string | null, ...attributes: string[]) => ({
  action,
  dataclass,
  key,
  attributes,
  outcome: 'done',
});

const not = (
  action: string,
  dataclass: string,
  key: string | null,
  errCode: number,
  error: string,
  ...attributes: string[]
) => ({
  action,
  dataclass,
  key,
  attributes,
  outcome: error.startsWith('mayNot') ? 'denied' : 'failed',
  errCode,
  error,
});

/** A line of an order that the sample has not. */
const line = (number: number, more: object = {}): object => ({
  orderNo: 1,
  line: number,
  product: 1,
  quantity: 1,
  unitPrice: 2,
  ...more,
});
const lineKey = (number: number): string => `{"orderNo":1,"line":${number}}`;
const given = ['orderNo', 'line', 'quantity', 'unitPrice', 'order', 'product'];

async function entities(answer: Promise<Answer>): Promise<readonly Record<string, unknown>[]> {
  const { body } = await answer;
  return (body as { __ENTITIES: readonly Record<string, unknown>[] }).__ENTITIES;
}

async function stampOf(url: string): Promise<unknown> {
  return ((await gateway.get(url)).body as { __STAMP: unknown }).__STAMP;
}

describe('of what is saved there is a line', () => {
  test('with when, who and from where, which request and what', async () => {
    const before = Date.now();
    const answer = await gateway.get('/rest/OrderLine?$method=update', {
      method: 'POST',
      body: JSON.stringify(line(1001)),
      headers: { 'x-request-id': 'my-request' },
    });
    expect(answer.status).toBe(200);
    const [only, ...more] = allLines();
    expect(only).toEqual({
      log: 'audit',
      time: expect.any(String),
      request: 'my-request',
      user: null,
      roles: [],
      address: '127.0.0.1',
      ...done('create', 'OrderLine', lineKey(1001), ...given),
    });
    const time = String(only?.['time']);
    expect([new Date(time).toISOString(), more]).toEqual([time, []]);
    expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(time)).toBeLessThanOrEqual(Date.now());
  });

  test('with each that is saved along with it, or deleted', async () => {
    const head = {
      date: '2026-01-02',
      placedAt: '2026-01-02T03:04:05Z',
      billTo: 1,
      currency: 'EUR',
    };
    const part = { line: 1, product: 1, unitPrice: 2 };
    const made = await post(gateway, '/rest/Order', {
      ...head,
      lines: [part, { ...part, line: 2 }],
    });
    const { __KEY: key } = made.body as { __KEY: string };
    const keyOf = (number: number): string => `{"orderNo":${key},"line":${number}}`;
    const names = ['orderNo', 'line', 'unitPrice', 'order', 'product'];
    expect(lines()).toEqual([
      done('create', 'Order', key, 'date', 'placedAt', 'currency', 'billTo'),
      done('create', 'OrderLine', keyOf(1), ...names),
      done('create', 'OrderLine', keyOf(2), ...names),
    ]);
    const change = (quantity: unknown): Promise<Answer> =>
      post(gateway, `/rest/Order(${key})?$replace=lines`, {
        __STAMP: 1,
        lines: [{ __KEY: `${key};2`, __STAMP: 1, quantity }],
      });
    expect((await change(-1)).status).toBe(409);
    expect(lines()).toEqual([not('update', 'Order', key, 9015, 'brokenRule', 'lines')]);
    expect((await change(9)).status).toBe(200);
    expect(lines()).toEqual([
      done('delete', 'OrderLine', keyOf(1)),
      done('update', 'OrderLine', keyOf(2), 'quantity'),
    ]);
  });

  test('with what was changed, and none where nothing was', async () => {
    const __KEY = 'FR';
    const __STAMP = await stampOf('/rest/Country("FR")');
    const body = { __KEY, __STAMP, name: 'Frankreich', population: 1, inEU: true };
    expect((await post(gateway, '/rest/Country?$method=update', body)).status).toBe(200);
    expect(lines()).toEqual([done('update', 'Country', 'FR', 'name', 'population')]);
    const again = { ...body, __STAMP: await stampOf('/rest/Country("FR")') };
    expect((await post(gateway, '/rest/Country?$method=update', again)).status).toBe(200);
    expect(lines()).toEqual([]);
  });

  test('whose key the database has made', async () => {
    const body = [
      { code: 'P-1', name: 'a', startDate: '2026-01-01' },
      { code: 'P-2', name: 'b', startDate: '2026-01-01', lead: 1 },
    ];
    const saved = await entities(post(gateway, '/rest/Project?$method=update', body));
    const keys = saved.map(({ __KEY }) => String(__KEY));
    expect(lines()).toEqual([
      done('create', 'Project', keys[0] ?? '', 'code', 'name', 'startDate'),
      done('create', 'Project', keys[1] ?? '', 'code', 'name', 'startDate', 'lead'),
    ]);
  });

  test('for each element of an array, and for each that was not saved why', async () => {
    const __STAMP = await stampOf('/rest/Country("DE")');
    const body = [
      { __KEY: 'DE', __STAMP, name: 'Allemagne' },
      { __KEY: 'DE', __STAMP: 4711, name: 'x' },
      { __KEY: 'QQ', __STAMP: 1, name: 'x' },
      { code: 'ZZ', name: null },
      { code: 'ZY', name: 'y', nonsense: 1 },
      { code: 'ZX', name: 'Zett', isoNumber: 997, currency: 'EUR' },
    ];
    await post(gateway, '/rest/Country?$method=update', body);
    expect(lines()).toEqual([
      done('update', 'Country', 'DE', 'name'),
      done('create', 'Country', 'ZX', 'code', 'name', 'isoNumber', 'currency'),
      not('update', 'Country', 'DE', 1263, 'stampChanged', 'name'),
      not('update', 'Country', 'QQ', 1542, 'noEntityToWrite', 'name'),
      not('create', 'Country', null, 1116, 'mandatoryMissing', 'code', 'name'),
      not('create', 'Country', null, 1500, 'noSuchAttribute', 'code', 'name'),
    ]);
  });

  test('for each of many, whichever of them are wrong', async () => {
    const body = Array.from({ length: 2500 }, (_, index) =>
      line(2001 + index, index === 1200 ? { quantity: -1 } : {}),
    );
    const answer = await post(gateway, '/rest/OrderLine?$method=update', body);
    expect(answer.status).toBe(200);
    const requests = new Set(allLines().map(({ request }) => request));
    expect([...requests]).toEqual([answer.headers['x-request-id']]);
    const found = lines();
    expect(found).toHaveLength(2500);
    expect(found.filter(({ outcome }) => outcome !== 'done')).toEqual([
      not('create', 'OrderLine', null, 9015, 'brokenRule', ...given),
    ]);
    expect(new Set(found.map(({ key }) => key)).size).toBe(2500);
  });

  test('where all or none are saved, for all, or for the request', async () => {
    const good = [line(1011), line(1012)];
    await post(gateway, '/rest/OrderLine?$method=update&$atomic=true', good);
    expect(lines()).toEqual([
      done('create', 'OrderLine', lineKey(1011), ...given),
      done('create', 'OrderLine', lineKey(1012), ...given),
    ]);
    const bad = [line(1013), line(1011)];
    expect((await post(gateway, '/rest/OrderLine?$method=update&$atomic=true', bad)).status).toBe(
      409,
    );
    expect(lines()).toEqual([not('save', 'OrderLine', null, 1115, 'duplicateKey', ...given)]);
  });

  test('and none of a dry run, which saves nothing', async () => {
    const body = [line(1021), line(1011)];
    await post(gateway, '/rest/OrderLine?$method=update&$refresh=true', body);
    await post(gateway, '/rest/OrderLine?$method=update&$refresh=true&$atomic=true', body);
    expect(lines()).toEqual([]);
  });

  test('and of an upload to an attribute', async () => {
    const sent = await gateway.get('/rest/Employee(1)/photo?$binary=true', {
      method: 'POST',
      body: new Uint8Array([1, 2, 3]),
    });
    expect(sent.status).toBe(200);
    expect(lines()).toEqual([done('update', 'Employee', '1', 'photo')]);
    await gateway.get('/rest/Employee(4711)/photo?$binary=true', { method: 'POST', body: 'x' });
    expect(lines()).toEqual([not('update', 'Employee', '4711', 1542, 'noEntityToWrite', 'photo')]);
  });
});

describe('of what is deleted there is a line', () => {
  const create = async (...numbers: number[]): Promise<void> => {
    await post(
      gateway,
      '/rest/OrderLine?$method=update',
      numbers.map((number) => line(number)),
    );
    lines();
  };

  test('by its key in the URL', async () => {
    await create(1101);
    expect((await gateway.get('/rest/OrderLine(1;1101)', { method: 'DELETE' })).status).toBe(200);
    expect((await gateway.get('/rest/OrderLine(1;1101)', { method: 'DELETE' })).status).toBe(404);
    expect(lines()).toEqual([
      done('delete', 'OrderLine', lineKey(1101)),
      not('delete', 'OrderLine', lineKey(1101), 1542, 'noEntityToWrite'),
    ]);
  });

  test('by the body', async () => {
    await create(1111, 1112);
    const body = [1111, 1199, 1112].map((number) => ({ __KEY: lineKey(number) }));
    await post(gateway, '/rest/OrderLine?$method=delete', body);
    expect(lines()).toEqual([
      done('delete', 'OrderLine', lineKey(1111)),
      done('delete', 'OrderLine', lineKey(1112)),
      not('delete', 'OrderLine', lineKey(1199), 1542, 'noEntityToWrite'),
    ]);
  });

  test('by a filter', async () => {
    await create(1121, 1122);
    const url = '/rest/OrderLine?$filter="line>1120 AND line<1130"&$method=delete';
    expect((await gateway.get(url, { method: 'POST' })).status).toBe(200);
    expect(lines().toSorted((a, b) => (String(a['key']) < String(b['key']) ? -1 : 1))).toEqual([
      done('delete', 'OrderLine', lineKey(1121)),
      done('delete', 'OrderLine', lineKey(1122)),
    ]);
    expect((await gateway.get(url, { method: 'POST' })).status).toBe(200);
    expect(lines()).toEqual([]);
  });

  test('by a filter, where a rule stands against it', async () => {
    const url = '/rest/Company?$filter="ID<3"&$method=delete';
    expect((await gateway.get(url, { method: 'POST' })).status).toBe(409);
    expect(lines()).toEqual([not('delete', 'Company', null, 1120, 'brokenReference')]);
  });

  test('by a set, for those that are there', async () => {
    const numbers = Array.from({ length: 1500 }, (_, index) => 5001 + index);
    await create(...numbers);
    const made = await gateway.get(
      '/rest/OrderLine?$filter="line>5000 AND line<7000"&$method=entityset&$top=0',
    );
    const { __ENTITYSET: set } = made.body as { __ENTITYSET: string };
    await gateway.get('/rest/OrderLine(1;5007)', { method: 'DELETE' });
    lines();
    expect((await gateway.get(`${set}?$method=delete`, { method: 'POST' })).status).toBe(200);
    const wanted = numbers.filter((number) => number !== 5007);
    expect(lines()).toEqual(wanted.map((number) => done('delete', 'OrderLine', lineKey(number))));
  });
});

test('of what cannot be written there is a line, and of reads and locks none', async () => {
  await gateway.get('/rest/Employee(1)');
  await gateway.get('/rest/Employee(1)?$lock=true');
  await gateway.get('/rest/Employee(1)?$lock=false');
  await post(gateway, '/rest/$upload?$binary=true', { any: 'bytes' });
  expect(lines()).toEqual([]);
  await post(gateway, '/rest/Nothing?$method=update', {});
  await gateway.get('/rest/Employee?$method=update', { method: 'POST', body: '{' });
  expect(lines()).toEqual([
    not('save', 'Nothing', null, 1800, 'noSuchDataclass'),
    not('save', 'Employee', null, 9016, 'badBody'),
  ]);
  await gateway.get('/rest/Country(FR)?$method=delete&$nope=1', { method: 'POST' });
  const crossSite = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  await gateway.get('/rest/Country(FR)', { method: 'DELETE', headers: crossSite });
  await post(gateway, '/rest/Country?$method=update', [{ __KEY: 'FR', name: 'x' }]);
  expect(lines()).toEqual([
    not('delete', 'Country', null, 1811, 'unknownKeyword'),
    { ...not('delete', 'Country', 'FR', 9040, 'crossSite'), outcome: 'denied' },
    not('update', 'Country', 'FR', 1263, 'stampMissing', 'name'),
  ]);
});

test('of a delete that met nothing there is no line, of a dataclass without a key neither', async () => {
  const url = '/rest/LogEntry?$method=delete&$filter="source=audited"';
  expect((await gateway.get(url, { method: 'POST' })).status).toBe(200);
  expect(lines()).toEqual([]);
  const values = `(TIMESTAMP '2026-01-01', 1, 'audited'), (TIMESTAMP '2026-01-02', 1, 'audited')`;
  const columns = '"EVT_DT", "SEV_CD", "SRC_NM"';
  await change(gateway.database, `INSERT INTO "HR"."EVT_LOG" (${columns}) VALUES ${values}`);
  expect((await gateway.get(url, { method: 'POST' })).status).toBe(200);
  expect(lines()).toEqual([done('delete', 'LogEntry', null)]);
});

describe('with other settings', () => {
  async function withGateway(
    settings: Partial<Config>,
    work: (other: Gateway) => Promise<void>,
  ): Promise<void> {
    const other = await startGateway(opened.database, settings, gateway.database);
    try {
      await work(other);
    } finally {
      await other.close();
    }
  }

  test('a line has the values that are asked for', async () => {
    const values = ['Country.name', 'Country.population', 'OrderLine.product', 'Employee.photo'];
    await withGateway({ audit: audit({ values }) }, async (other) => {
      const country = { code: 'YY', name: 'Yps', isoNumber: 999, currency: 'EUR' };
      await post(other, '/rest/Country?$method=update', { ...country, population: 7 });
      const change = { __KEY: 'YY', __STAMP: 1, name: 'Why "?"', isoNumber: 998, population: 8 };
      await post(other, '/rest/Country?$method=update', change);
      await other.get('/rest/Country("YY")', { method: 'DELETE' });
      await post(other, '/rest/OrderLine?$method=update', line(1201));
      await post(other, '/rest/OrderLine(1;1201)?$method=update', { __STAMP: 1, product: 2 });
      await other.get('/rest/Employee(2)/photo?$binary=true', { method: 'POST', body: 'abcd' });
      await post(other, '/rest/Employee(2)?$method=update', {
        __STAMP: await stampOf('/rest/Employee(2)'),
        photo: null,
      });
      expect(lines().map(({ action, key, values: told }) => [action, key, told])).toEqual([
        ['create', 'YY', { name: { after: 'Yps' }, population: { after: '7' } }],
        [
          'update',
          'YY',
          {
            name: { before: 'Yps', after: 'Why "?"' },
            population: { before: '7', after: '8' },
          },
        ],
        ['delete', 'YY', { name: { before: 'Why "?"' }, population: { before: '8' } }],
        ['create', lineKey(1201), { product: { after: '1' } }],
        ['update', lineKey(1201), { product: { before: '1', after: '2' } }],
        ['update', '2', { photo: { after: { bytes: 4 } } }],
        ['update', '2', { photo: { after: null } }],
      ]);
    });
  });

  test('a set whose entities refer to each other is told of as well', async () => {
    const { database } = gateway;
    const columns = '"EMP_NO", "FIRST_NM", "LAST_NM", "EMAIL", "HIRE_DT", "COMP_ID", "MGR_NO"';
    const rows = `SELECT n, 'x', 'x', n, DATE '2026-01-01', 1, 50001 FROM generate_series(50001, 51200) n`;
    await change(database, `INSERT INTO "HR"."TBL_EMP" (${columns}) ${rows}`);
    const own = 'FOREIGN KEY ("MGR_NO") REFERENCES "HR"."TBL_EMP" ("EMP_NO")';
    await change(database, `ALTER TABLE "HR"."TBL_EMP" ADD CONSTRAINT "FK_MGR" ${own} NOT VALID`);
    await withGateway({ audit: audit() }, async (other) => {
      const made = await other.get('/rest/Employee?$filter="ID>50000"&$method=entityset&$top=0');
      const { __ENTITYSET: set } = made.body as { __ENTITYSET: string };
      expect((await other.get(`${set}?$method=delete`, { method: 'POST' })).status).toBe(200);
      const keys = lines().map(({ action, key: told }) => [action, Number(told)]);
      expect(keys.toSorted((a, b) => Number(a[1]) - Number(b[1]))).toEqual(
        Array.from({ length: 1200 }, (_, index) => ['delete', 50_001 + index]),
      );
    });
  });

  test('a line has the name of who asked, and the roles', async () => {
    const authentication: Config['authentication'] = {
      apiKeys: [
        { name: 'loader', hash: `sha256:${apiKeyHash(key)}`, roles: ['admin'], claims: {} },
      ],
    };
    await withGateway({ audit: audit(), authentication }, async (other) => {
      await other.get('/rest/OrderLine?$method=update', {
        method: 'POST',
        body: JSON.stringify(line(1301)),
        headers: { 'api-key': key },
      });
      expect(allLines()).toMatchObject([
        { user: 'loader', roles: ['admin'], key: lineKey(1301), outcome: 'done' },
      ]);
    });
  });

  test('a line says that nobody is known who asked', async () => {
    const authentication: Config['authentication'] = {
      apiKeys: [{ name: 'loader', hash: `sha256:${apiKeyHash(key)}`, roles: [], claims: {} }],
    };
    await withGateway({ audit: audit(), authentication }, async (other) => {
      await other.get('/rest/Country(FR)', { method: 'PUT', body: '{"name":"x"}' });
      const wrong = { 'api-key': makeApiKey() };
      await other.get('/rest/Country(FR)', { method: 'DELETE', headers: wrong });
      await other.get('/rest/Country(FR)?$method=update&$refresh=true', { method: 'POST' });
      await other.get('/rest/Country(FR)');
      expect(lines()).toEqual([
        { ...not('update', 'Country', 'FR', 1822, 'notLoggedIn'), outcome: 'denied' },
        { ...not('delete', 'Country', 'FR', 1822, 'notLoggedIn'), outcome: 'denied' },
      ]);
    });
  });

  test('a line says what is denied', async () => {
    await withGateway({ audit: audit(), readOnly: true }, async (other) => {
      await post(other, '/rest/OrderLine?$method=update', [line(1311)]);
      await other.get('/rest/OrderLine(1;1)', { method: 'DELETE' });
      await other.get('/rest/OrderLine?$filter="line=1"&$method=delete', { method: 'POST' });
      await other.get('/rest/Employee(2)/photo?$binary=true', { method: 'POST', body: 'a' });
      expect(lines()).toEqual([
        not('create', 'OrderLine', null, 1559, 'mayNotCreate', ...given),
        not('delete', 'OrderLine', lineKey(1), 1560, 'mayNotDelete'),
        not('delete', 'OrderLine', null, 1560, 'mayNotDelete'),
        not('update', 'Employee', '2', 1558, 'mayNotUpdate', 'photo'),
      ]);
    });
  });

  test('nothing is written without the audit log, where it is required', async () => {
    await withGateway({ audit: audit({ to: '/dev/full', required: true }) }, async (other) => {
      // That it cannot be written is known when it was tried.
      expect((await post(other, '/rest/OrderLine?$method=update', line(1401))).status).toBe(200);
      const refused = await post(other, '/rest/OrderLine?$method=update', line(1402));
      expect([refused.status, refused.body]).toEqual([
        503,
        {
          __ERROR: [
            {
              message:
                'The audit log cannot be written at the moment, so nothing is saved or deleted. Try again later.',
              componentSignature: 'dbmg',
              errCode: 9036,
            },
          ],
        },
      ]);
      for (const url of ['OrderLine(1;1401)', 'OrderLine?$filter="line=1401"&$method=delete']) {
        const method = url.includes('$method') ? 'POST' : 'DELETE';
        expect((await other.get(`/rest/${url}`, { method })).status).toBe(503);
      }
      expect((await other.get('/rest/OrderLine(1;1401)')).status).toBe(200);
      expect((await other.get('/rest/OrderLine(1;1402)')).status).toBe(404);
      expect((await other.get('/health/ready')).status).toBe(200);
    });
  });

  test('what cannot be told is written all the same, where it is not required', async () => {
    await withGateway({ audit: audit({ to: '/dev/full' }) }, async (other) => {
      for (const number of [1501, 1502]) {
        expect((await post(other, '/rest/OrderLine?$method=update', line(number))).status).toBe(
          200,
        );
      }
    });
  });

  test.each<[setting: NonNullable<Config['audit']>, message: RegExp]>([
    [
      { to: '/nowhere/audit.log', values: 'none', required: false },
      /nowhere\/audit\.log cannot be written: ENOENT/,
    ],
    [
      { to: 'stdout', values: ['Employee.lastNam'], required: false },
      /Employee has no attribute or relation lastNam\. Did you mean lastName\?/,
    ],
  ])('a gateway does not start: %j', async (setting, message) => {
    const problem = await startGateway(opened.database, { audit: setting }, gateway.database).then(
      () => null,
      (error: unknown) => error,
    );
    expect(problem).toBeInstanceOf(StartupError);
    expect((problem as StartupError).message).toMatch(message);
  });
});
