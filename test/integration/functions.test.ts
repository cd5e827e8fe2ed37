import { beforeAll, describe, expect, test } from 'vitest';
import { apiKeyHash, makeApiKey } from '../../src/access/auth/api-keys.ts';
import { configSchema } from '../../src/config/config.ts';
import { withContract } from '../conformance/contract.ts';
import { onEngines, type Served } from './shapes/engines.ts';
import { reportShape, shape } from './shapes/routines.ts';

interface Collection {
  readonly __COUNT: number;
  readonly __ENTITIES: readonly Readonly<Record<string, unknown>>[];
}

/** How many entities a collection says that it has, and the ids of those that it holds. */
function ids(body: unknown): unknown {
  const { __COUNT: count, __ENTITIES: entities } = body as Collection;
  return [count, ...entities.map(({ ID: id }) => id)];
}

function errors(body: unknown): unknown {
  const { __ERROR: all } = body as { readonly __ERROR?: readonly { readonly errCode: number }[] };
  return all?.map(({ errCode }) => errCode) ?? body;
}

async function salary(served: Served, id: number): Promise<unknown> {
  const [, body] = await served.get(`Emp(${id})/salary`);
  return (body as { readonly salary: unknown }).salary;
}

function functions(served: Served): void {
  beforeAll(async () => {
    served.gateway = await withContract(served.gateway);
  });

  describe('of the datastore and of singletons', () => {
    test('answer a value, by POST and, where they may, by GET', async () => {
      expect(await served.post('$catalog/add', [1, 2.25])).toEqual([200, { result: 3.25 }]);
      expect(await served.post('$catalog/add', { params: [1, '2.5'] })).toEqual([
        200,
        { result: 3.5 },
      ]);
      expect(await served.get(`$catalog/add?$params='[1, 2]'`)).toEqual([200, { result: 3 }]);
      expect(await served.post('$singleton/Prices/quote', [2, 2])).toEqual([200, { result: 4 }]);
    });

    test('answer rows in the forms that attributes have', async () => {
      expect(await served.post('$catalog/types', ['5'])).toEqual([
        200,
        {
          result: [
            {
              big: 5,
              amount: 1.5,
              at: '2024-02-29T12:00:00.500Z',
              day: '2024-02-29',
              label: 'a "b"',
              flag: true,
              bytes: 'Chs=',
              nothing: null,
            },
          ],
        },
      ]);
    });

    test('take bytes and JSON', async () => {
      const [status, body] = await served.post('$catalog/echo', ['Chs=', { a: [1, 'é'] }]);
      const { result } = body as { readonly result: { what: unknown; doc: unknown } };
      const doc = typeof result.doc === 'string' ? (JSON.parse(result.doc) as unknown) : result.doc;
      expect([status, result.what, doc]).toEqual([200, 'Chs=', { a: [1, 'é'] }]);
    });

    test('change nothing by GET where the engine can be told so', async () => {
      const before = await salary(served, 2);
      const [status, body] = await served.get('$catalog/change');
      if (served.isSqlServer) expect([status, body]).toEqual([200, { result: 1 }]);
      else expect([status, errors(body), await salary(served, 2)]).toEqual([405, [1829], before]);
      expect(await served.post('$catalog/change')).toEqual([200, { result: 1 }]);
      await served.run('UPDATE app.emp SET salary = id * 100 WHERE id = 1');
    });

    test('keep their own transactions where they may', async () => {
      expect(await served.post('$catalog/own', [41])).toEqual([200, { result: 42 }]);
    });
  });

  describe('of an entity', () => {
    test('are given its key, and answer all that a procedure does', async () => {
      expect(await served.post('Emp(1)/raise', [10, 'why'])).toEqual([
        200,
        {
          result: {
            returnValue: served.isSqlServer ? 3 : null,
            output: { total: 110, noted: 'why' },
            resultSets: [],
          },
        },
      ]);
      expect(await served.post('Emp(1)/raise', [0])).toMatchObject([
        200,
        { result: { output: { noted: 'none' } } },
      ]);
      expect(await served.post('Emp(3)/raised', [100])).toEqual([200, { result: 400 }]);
      // PostgreSQL’s parameters have no length.
      const [status, body] = await served.post('Emp(1)/raise', [0, 'longer than ten']);
      expect([status, errors(body)]).toMatchObject(served.isSqlServer ? [422, [1591]] : [200, {}]);
    });

    test('leave nothing where they fail, and say what their programs say', async () => {
      const before = await salary(served, 2);
      const [status, body] = await served.post('Emp(2)/raise', [101]);
      expect([status, errors(body)]).toEqual([422, [9017]]);
      expect(JSON.stringify(body)).toContain('No raise of 101 percent');
      expect(await salary(served, 2)).toBe(before);
      const [broken, why] = await served.post('Emp(2)/raise', [99]).then(async () => {
        await served.run('UPDATE app.emp SET salary = 99999 WHERE id = 2');
        const told = await served.post('Emp(2)/raise', [50]);
        await served.run(`UPDATE app.emp SET salary = ${Number(before)} WHERE id = 2`);
        return told;
      });
      expect([broken, errors(why)]).toEqual([409, [9015]]);
      const [twice, taken] = await served.post('Emp(2)/twin');
      expect([twice, errors(taken)]).toEqual([409, [1115]]);
    });

    test('are not called on what is not to be seen, is not there, or is several', async () => {
      for (const url of ['Emp(4)/raise', 'Emp(99)/raise']) {
        const [status, body] = await served.post(url, [1]);
        expect([status, errors(body)]).toEqual([404, [1543]]);
      }
      await served.run("INSERT INTO app.emp (id, name, salary) VALUES (8, 'Fay', 1)");
      const [nowhere, none] = await served.post('Emp(8)/dept/twin');
      await served.run('DELETE FROM app.emp WHERE id = 8');
      expect([nowhere, errors(none)]).toEqual([404, [1543]]);
      // The entity that the key is of is there, and taken.
      const [taken, twice] = await served.post('Emp(1)/dept/twin');
      expect([taken, errors(twice)]).toEqual([409, [1115]]);
      for (const url of ['Emp/raise', 'Emp(1,2)/raise']) {
        const [status, body] = await served.post(url, [1]);
        expect([status, errors(body)]).toEqual([400, [1813]]);
      }
    });
  });

  describe('of a collection', () => {
    test('are given the keys of all entities that are to be seen', async () => {
      expect(await served.post('Emp/keys')).toEqual([200, { result: '[1,2,3]' }]);
      expect(await served.post('Emp/keys?$filter="ID > 1"&$orderby="ID desc"')).toEqual([
        200,
        { result: '[3,2]' },
      ]);
      expect(await served.post('Emp(1,3)/keys')).toEqual([200, { result: '[1,3]' }]);
      expect(await served.post('Dept(1)/staff?$method=subentityset&$emMethod=keys')).toEqual([
        200,
        { result: '[1,2]' },
      ]);
      expect(await served.post('Dept(1)/staff/keys')).toEqual([200, { result: '[1,2]' }]);
      expect(await served.post('Line/keys')).toEqual([
        200,
        { result: '[{"orderNo":7,"line":1},{"orderNo":7,"line":2}]' },
      ]);
    });

    test('are called on a related collection as clients call them', async () => {
      const url = 'Dept(1)/staff/?$expand=staff&$method=subentityset&$emMethod';
      const value = [200, { result: '[1,2]' }];
      expect(await served.post(`${url}=keys`, [])).toEqual(value);
      expect(
        await served.post(`${url}=keys&$timeout=300&$top=1&$attributes=nothing&$asArray=true`, {
          params: [],
          name: 'keys',
        }),
      ).toEqual(value);
      for (const method of ['entityset', 'subentityset']) {
        const query = `$expand=staff&$method=${method}&$timeout=300&$top=1&$attributes=nothing`;
        expect(await served.post(`Dept(1)/staff/keys/?${query}`, [])).toEqual(value);
      }
      const [, made] = await served.post(`${url}=pick&$top=1&$attributes=ID`, []);
      const { __ENTITYSET: uri } = made as { readonly __ENTITYSET: string };
      expect(ids(made)).toEqual([2, 2]);
      const [, next] = await served.get(
        `${uri.replace('/rest/', '')}?$limit=1&$skip=1&$method=subentityset&$attributes=ID`,
      );
      expect(ids(next)).toEqual([2, 1]);
      expect(next).toMatchObject({ __ENTITYSET: uri, __FIRST: 1, __SENT: 1 });
    });

    test('are called on an entity set by either path, without what is gone from it', async () => {
      await served.run("INSERT INTO app.emp (id, name, salary) VALUES (9, 'Eve', 1)");
      const [, made] = await served.get(
        'Emp?$filter="ID in [3,9]"&$orderby="ID desc"&$method=entityset',
      );
      const { __ENTITYSET: uri } = made as { readonly __ENTITYSET: string };
      const id = uri.split('/').at(-1) ?? '';
      expect(await served.post(`Emp/$entityset/${id}/keys`)).toEqual([200, { result: '[9,3]' }]);
      await served.run('DELETE FROM app.emp WHERE id = 9');
      expect(await served.post(`Emp/keys/$entityset/${id}`)).toEqual([200, { result: '[3]' }]);
      const [status, body] = await served.post(`Emp/keys/$entityset/${id}1`);
      expect([status, errors(body)]).toEqual([404, [1802]]);
    });

    test('answer entities as they are to be seen, in the routine’s order', async () => {
      const [, picked] = await served.post('Emp/pick?$attributes=ID');
      expect(ids(picked)).toEqual([3, 3, 2, 1]);
      const [, page] = await served.post(
        'Emp/pick?$filter="ID < 3"&$top=1&$skip=1&$attributes=ID,dept.title',
        [1],
      );
      expect(page).toMatchObject({
        __DATACLASS: 'Emp',
        __COUNT: 2,
        __FIRST: 1,
        __SENT: 1,
        __ENTITIES: [{ __KEY: '1', ID: 1, dept: { title: 'Lab' } }],
      });
    });
  });

  describe('of a dataclass', () => {
    test('answer entities, of which a set can be made, without those that are not to be seen', async () => {
      const [, paid] = await served.get(`Emp/wellPaid?$params='[0]'`);
      expect(ids(paid)).not.toContain(4);
      const [, made] = await served.post('Emp/wellPaid?$method=entityset&$top=1', [0]);
      const { __ENTITYSET: uri } = made as { readonly __ENTITYSET: string };
      expect(uri).toMatch(/^\/rest\/Emp\/\$entityset\/[0-9A-Z]+$/);
      const [, read] = await served.get(uri.replace('/rest/', ''));
      expect(ids(read)).toEqual(ids(paid));
      const [, best] = await served.post('Emp/best?$attributes=name', [1]);
      // Who earns most is not to be seen.
      expect(best).toEqual({ result: null });
      await served.run('UPDATE app.emp SET salary = 50 WHERE id = 4');
      const [, seen] = await served.post('Emp/best?$attributes=name', [250]);
      expect(seen).toMatchObject({ __entityModel: 'Emp', name: expect.any(String) as string });
      const [, one] = await served.post(
        'Emp/best?$method=entityset&$timeout=9&$attributes=name',
        [250],
      );
      expect(one).toEqual(seen);
      expect(await served.post('Emp/best', [99_999])).toEqual([200, { result: null }]);
    });
  });

  describe('are refused', () => {
    test.each([
      ['POST', '$catalog/ad', undefined, 404, 1827],
      ['POST', 'Emp/secret', ['x'], 404, 1827],
      ['POST', 'Emp(1)/name', undefined, 404, 1827],
      ['POST', '$singleton/Price/quote', [1, 2], 404, 1827],
      ['POST', '$singleton/Prices/quot', [1, 2], 404, 1827],
      ['GET', 'Emp/keys', undefined, 405, 1829],
      ['GET', '$singleton/Prices/quote', undefined, 405, 1829],
      ['GET', `Dept(1)/staff?$method=subentityset&$emMethod=keys`, undefined, 405, 1829],
      ['POST', '$catalog/add', [1], 400, 9049],
      ['POST', '$catalog/add', [1, 2, 3], 400, 9049],
      ['POST', '$catalog/add', undefined, 400, 9049],
      ['POST', '$catalog/add', '{"a":1}', 400, 9016],
      ['POST', '$catalog/add', '[1,', 400, 9016],
      ['POST', '$catalog/add', [1, 'x'], 400, 1508],
      ['POST', '$catalog/add', [2_147_483_648, 1], 422, 1569],
      ['POST', '$catalog/add', [{ a: 1 }, 1], 400, 1508],
      ['GET', '$catalog/add?$params=[1', undefined, 400, 9049],
      ['POST', 'Emp/pick?$method=entityset&$asArray=true', [], 400, 1813],
      ['POST', 'Emp/best?$asArray=true', [1], 400, 1813],
      ['POST', 'Emp/wellPaid?$filter="ID=1"', [1], 400, 1813],
      ['POST', 'Emp/wellPaid?$attributes=nothing', [1], 404, 1500],
      ['POST', 'Emp(1)/raise?$params=[1]', [1], 400, 9049],
      // Only relations of one entity lead on: the function would be given keys of Dept.
      ['POST', 'Dept/staff/keys', undefined, 400, 1806],
      ['POST', 'Dept(1,2)/staff/keys', undefined, 400, 1806],
      ['POST', 'Dept/staff?$method=subentityset&$emMethod=keys', undefined, 400, 1806],
      ['POST', 'Emp/keys?$method=release', undefined, 405, 9004],
      ['PUT', '$catalog/add', [1, 2], 405, 9004],
    ])('%s %s %j', async (verb, url, body, status, code) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await served.gateway.get(`/rest/${url}`, {
        method: verb,
        ...(body === undefined ? {} : { body: text }),
      });
      expect([answer.status, errors(answer.body)]).toEqual([status, [code]]);
      if (code === 1829) expect(answer.headers['allow']).toBe('POST, OPTIONS');
    });
  });

  describe('behind several relations', () => {
    test('are called as behind one', async () => {
      expect(await served.post('Emp(1)/dept/staff/keys')).toEqual([200, { result: '[1,2]' }]);
      expect(await served.post('Dept(1)/staff/dept/staff/keys')).toEqual([
        200,
        { result: '[1,2]' },
      ]);
      const named = '$method=subentityset&$emMethod=keys';
      expect(await served.post(`Emp(1)/dept/staff?${named}`)).toEqual([200, { result: '[1,2]' }]);
    });

    test('are in the OpenAPI document, where the path leads to some', async () => {
      const [, document] = await served.get('$openapi');
      const { paths } = document as { readonly paths: Record<string, object> };
      const answer = { 200: { $ref: '#/components/responses/protocol.Called' } };
      expect(paths['/rest/Emp({key})/{path}']).toMatchObject({
        post: { operationId: 'Emp.callPathKey', responses: answer },
      });
      expect(Object.keys(paths['/rest/Emp/{path}'] ?? {})).toEqual(['parameters', 'get']);
      expect(Object.keys(paths['/rest/Line({key})/{path}'] ?? {})).toEqual(['parameters', 'get']);
    });
  });

  test('stand in the catalog', async () => {
    const [, body] = await served.get('$catalog/$all');
    const { methods, dataClasses, singletons } = body as {
      readonly methods: unknown;
      readonly dataClasses: readonly {
        readonly name: string;
        readonly methods?: { name: string; applyTo: string }[];
      }[];
      readonly singletons: unknown;
    };
    const method = { scope: 'public', from: 'remoteServer', exposed: true };
    const numbers = [
      { name: 'a', type: 'long' },
      { name: 'b', type: 'number' },
    ];
    expect(methods).toEqual([
      {
        ...{ name: 'add', applyTo: 'dataStore', ...method, allowedOnHTTPGET: true },
        extraProperties: { description: 'Adds two numbers.', parameters: numbers },
      },
      {
        ...{ name: 'types', applyTo: 'dataStore', ...method, allowedOnHTTPGET: false },
        extraProperties: { parameters: [{ name: 'n', type: 'long64' }] },
      },
      {
        ...{ name: 'echo', applyTo: 'dataStore', ...method, allowedOnHTTPGET: false },
        extraProperties: {
          parameters: [
            { name: 'what', type: 'blob' },
            { name: 'doc', type: 'object' },
          ],
        },
      },
      {
        ...{ name: 'own', applyTo: 'dataStore', ...method, allowedOnHTTPGET: false },
        extraProperties: { parameters: [{ name: 'n', type: 'long' }] },
      },
      {
        ...{ name: 'change', applyTo: 'dataStore', ...method, allowedOnHTTPGET: true },
        extraProperties: { parameters: [] },
      },
    ]);
    expect(
      dataClasses.map(({ name, methods: own }) => [
        name,
        own?.map((one) => `${one.name} ${one.applyTo}`),
      ]),
    ).toEqual([
      ['Dept', ['twin entity']],
      [
        'Emp',
        [
          ...['raise entity', 'raised entity', 'twin entity', 'pick entityCollection'],
          ...['keys entityCollection', 'wellPaid dataClass', 'best dataClass'],
        ],
      ],
      ['Line', ['keys entityCollection']],
    ]);
    const [department, employee] = dataClasses;
    expect(department?.methods).toEqual([
      {
        ...{ name: 'twin', applyTo: 'entity', ...method, allowedOnHTTPGET: false },
        extraProperties: { parameters: [] },
        userDefined: true,
      },
    ]);
    expect(employee?.methods?.[0]).toMatchObject({
      extraProperties: {
        parameters: [
          { name: 'pct', type: 'number' },
          // PostgreSQL’s parameters have no length.
          {
            ...{ name: 'note', type: 'string', optional: true },
            ...(served.isSqlServer ? { maxLength: 10 } : {}),
          },
        ],
      },
    });
    expect(singletons).toEqual([
      {
        name: 'Prices',
        methods: [
          {
            ...{ name: 'quote', allowedOnHTTPGET: false, exposed: true },
            extraProperties: { description: 'What it costs.', parameters: numbers },
          },
        ],
      },
    ]);
    for (const path of ['$catalog', '$catalog/Dept']) {
      expect((await served.get(path))[1]).toMatchObject({ methods, singletons });
    }
  });
}

onEngines('functions', shape, functions);

const key = makeApiKey();
const { authentication, roles } = configSchema.parse({
  authentication: {
    apiKeys: [
      {
        name: 'ada',
        hash: `sha256:${apiKeyHash(key)}`,
        roles: ['staff'],
        claims: { least: '2', depts: ['Yard'] },
      },
    ],
  },
  roles: {
    staff: {
      dataclasses: {
        // Over a dataclass that the role does not see.
        Emp: {
          read: 'dept.title IN $claims.depts or (ID = 2 and dept.staff.ID >= $claims.least)',
          attributes: { salary: 'hidden' },
        },
      },
      execute: ['Emp.keys', 'Emp.pick', 'Emp.best', 'Emp.raised', 'Line.*', 'add'],
    },
  },
});

function byRole(served: Served): void {
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await served.gateway.get(`/rest/${path}`, {
      method,
      headers: { 'api-key': key },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return [answer.status, answer.status === 200 ? answer.body : errors(answer.body)];
  };

  test('a role is not answered by functions that it may not execute', async () => {
    expect(await ask('POST', 'Emp(2)/raise', [1])).toEqual([404, [1827]]);
    expect(await ask('POST', 'Emp/wellPaid', [1])).toEqual([404, [1827]]);
    // Not even as one that is not called by GET, or as anything but an attribute that is not there.
    expect(await ask('GET', `Emp/wellPaid?$params='[1]'`)).toEqual([404, [1500]]);
    expect(await ask('POST', '$catalog/types', [1])).toEqual([404, [1827]]);
    expect(await ask('POST', '$singleton/Prices/quote', [1, 2])).toEqual([404, [1827]]);
    expect(await ask('POST', 'Line/keys')).toEqual([404, [1800]]);
    const [, catalog] = (await ask('GET', '$catalog/$all')) as [number, object];
    expect(catalog).toMatchObject({
      properties: { supportJSONEntityKey: true, logins: ['apiKey'] },
      methods: [{ name: 'add' }],
      dataClasses: [
        { methods: [{ name: 'raised' }, { name: 'pick' }, { name: 'keys' }, { name: 'best' }] },
      ],
    });
    expect(catalog).not.toHaveProperty('singletons');
  });

  test('those that it may are called on, and answer, what it may see', async () => {
    expect(await ask('POST', 'Emp/keys')).toEqual([200, { result: '[2,3]' }]);
    expect(await ask('POST', 'Emp(1,2)/keys')).toEqual([200, { result: '[2]' }]);
    expect(await ask('POST', 'Emp(1)/raised', [1])).toEqual([404, [1543]]);
    expect(await ask('POST', 'Emp/keys?$filter="salary > 1"')).toEqual([404, [1500]]);
    expect(await ask('POST', 'Emp/pick?$attributes=salary')).toEqual([404, [1500]]);
    const [, picked] = (await ask('POST', 'Emp/pick')) as [number, Collection];
    expect([ids(picked), Object.keys(picked.__ENTITIES[0] ?? {})]).toEqual([
      [2, 3, 2],
      ['__KEY', '__STAMP', 'ID', 'name'],
    ]);
    expect(await ask('POST', '$catalog/add', [1, 2])).toEqual([200, { result: 3 }]);
  });

  test('and nobody is answered without saying who they are', async () => {
    const [status, body] = await served.post('$catalog/add', [1, 2]);
    expect([status, errors(body)]).toEqual([401, [1822]]);
  });
}

// Nothing of this is the engine's business.
onEngines(
  'functions by role',
  { ...shape, settings: { ...(authentication && { authentication }), ...(roles && { roles }) } },
  byRole,
  ['postgres', 'sqlserver'],
);

onEngines('the rows of a procedure', reportShape, (served) => {
  test('have all digits of their values, whatever their types', async () => {
    const answer = await served.gateway.get('/rest/$catalog/report', {
      method: 'POST',
      body: '[7]',
    });
    const text = 'é'.repeat(70_000);
    expect(answer.text).toBe(
      '{"result":{"returnValue":7,"output":{},"resultSets":[[{"long":123456789012345678901234567890.12345678,"short":-2.50,' +
        '"money":922337203685477.5807,"big":9223372036854775807,"yes":true,"at":"2024-02-29T12:00:00.123456Z","day":"2024-02-29",' +
        `"bytes":"Chs=","guid":"abcdef00-0000-0000-0000-000000000001","text":"${text}","nothing":null}],[{"a":"x","a_2":"y"}]]}}`,
    );
  });

  test('may be so many, and no more', async () => {
    const [status, body] = await served.post('$catalog/many', [100_000]);
    const { result } = body as { result: { resultSets: readonly [readonly object[]] } };
    expect([status, result.resultSets[0].length]).toEqual([200, 100_000]);
    expect(await served.post('$catalog/many', [100_001])).toMatchObject([
      400,
      { __ERROR: [{ errCode: 9012 }] },
    ]);
  });
});
