import { expect, test } from 'vitest';
import { onEngines, type Served } from './shapes/engines.ts';
import { byRole, shape } from './shapes/calculated.ts';

type Entity = Readonly<Record<string, unknown>>;

async function entities(served: Served, query: string): Promise<readonly Entity[]> {
  const [status, body] = await served.get(`Worker?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body as { readonly __ENTITIES: readonly Entity[] }).__ENTITIES;
}

/** The keys of the entities, in their order. */
async function keys(served: Served, query: string): Promise<string> {
  return (await entities(served, query)).map(({ __KEY }) => String(__KEY)).join(',');
}

onEngines('attributes that are computed or another entity’s', shape, (served) => {
  test('are answered as any other, at the place that the mapping file gives them', async () => {
    const [, body] = await served.get('Worker(2)');
    expect(body).toEqual({
      __entityModel: 'Worker',
      __DATACLASS: 'Worker',
      __KEY: '2',
      __STAMP: expect.any(Number),
      id: 2,
      fullName: 'Bob ',
      yearly: 0.6,
      share: 0.0125,
      isMany: true,
      next: 4,
      firmName: 'Béta',
      bossFirm: 'Acme',
      firmIsForeign: 0,
      first: 'Bob',
      last: null,
      pay: 0.05,
      order: 3,
      firm: { __deferred: { uri: '/rest/Firm(2)', __KEY: '2' } },
      boss: { __deferred: { uri: '/rest/Worker(1)', __KEY: '1' } },
      team: { __deferred: { uri: '/rest/Worker(2)/team?$expand=team' } },
    });
    expect(Object.keys(body as object).slice(4)).toEqual([
      ...['id', 'fullName', 'yearly', 'share', 'isMany', 'next', 'firmName', 'bossFirm'],
      ...['firmIsForeign', 'first', 'last', 'pay', 'order', 'firm', 'boss', 'team'],
    ]);
    expect((await served.gateway.get('/rest/Worker(1)?$attributes=yearly')).text).toContain(
      '"yearly":1201.20}',
    );
  });

  test('are null where what they are made of is', async () => {
    expect(
      await entities(served, '$attributes=yearly,firmName,bossFirm&$filter="id=3"'),
    ).toMatchObject([{ yearly: null, firmName: null, bossFirm: 'Acme' }]);
  });

  test.each([
    ["fullName = 'ann lee'", '1'],
    ["fullName begin 'D'", '4'],
    ["fullName = '@lee'", '1,4'],
    ["fullName IN ['Ann Lee', 'Bob ']", '1,2'],
    ['yearly > 80 AND yearly < 1201.3', '1,4'],
    ['yearly = 1201.2', '1'],
    ['yearly = null', '3'],
    ['isMany', '1,2'],
    ['isMany = false', '3,4'],
    ['next = 4', '2'],
    ['firmName = Acme', '1,4'],
    ['firmName != null', '1,2,4'],
    ['bossFirm = Acme', '2,3'],
    ['firmIsForeign = 0', '1,2,4'],
    ['boss.fullName % lee', '2,3'],
    ['boss.firmName = Béta', '4'],
    ["team.fullName = 'Di Lee'", '2'],
    ['firm.workers.yearly = 84', '1,4'],
  ])('filter: %s', async (filter, expected) => {
    const url = `$filter=${encodeURIComponent(`"${filter}"`)}&$orderby=id`;
    expect(await keys(served, url)).toBe(expected);
  });

  test.each([
    ['yearly', '3,2,4,1'],
    ['yearly desc', '1,4,2,3'],
    ['firmName,fullName desc', '3,4,1,2'],
    ['boss.fullName,id', '1,2,3,4'],
    ['isMany desc,next', '2,1,4,3'],
  ])('order: %s', async (order, expected) => {
    expect(await keys(served, `$orderby="${order}"`)).toBe(expected);
  });

  test('are told of related entities, in sets too', async () => {
    const [, body] = await served.get(
      'Firm(1)?$attributes=isForeign,workers.fullName,workers.firmName',
    );
    expect(body).toMatchObject({
      isForeign: 0,
      workers: {
        __ENTITIES: [
          { fullName: 'Ann Lee', firmName: 'Acme' },
          { fullName: 'Di Lee', firmName: 'Acme' },
        ],
      },
    });
    const [, made] = await served.get(
      'Worker?$filter="yearly>1"&$orderby="fullName desc"&$method=entityset&$attributes=fullName',
    );
    const { __ENTITYSET, __ENTITIES } = made as { __ENTITYSET: string; __ENTITIES: Entity[] };
    expect(__ENTITIES.map(({ fullName }) => fullName)).toEqual(['Di Lee', 'Ann Lee']);
    const path = __ENTITYSET.replace('/rest/', '');
    expect(
      await served.get(
        `${path}?$filter="firmName=Acme"&$orderby=yearly&$asArray=true&$attributes=yearly`,
      ),
    ).toMatchObject([200, [{ yearly: 84 }, { yearly: 1201.2 }]]);
  });

  test.each([
    ['Worker/yearly?$compute=sum', 1285.8],
    [
      'Worker?$attributes=firmName&$compute=$all',
      { firmName: { count: 3, min: 'Acme', max: 'Béta' } },
    ],
    ['Worker/boss.fullName?$compute=max', 'Bob '],
    ['Firm(1)/workers/next?$compute=average', 7],
    ['Worker/firmIsForeign?$compute=count', 3],
    ['Worker/bossFirm?$distinct=true', ['Acme', 'Béta']],
    ['Worker/isMany?$distinct=true', [false, true]],
    ['Worker/fullName?$filter="yearly>1"&$distinct=true', ['Ann Lee', 'Di Lee']],
  ])('are computed on: %s', async (url, expected) => {
    expect(await served.get(url)).toEqual([200, expected]);
  });

  test('say in the catalog what they are', async () => {
    const [, body] = await served.get('$catalog/Worker');
    const { attributes } = (body as { dataClasses: { attributes: Entity[] }[] }).dataClasses[0] ?? {
      attributes: [],
    };
    const told = attributes
      .slice(1, 9)
      .map(({ name, kind, type, readOnly, path, maxLength }) => [
        ...[name, kind, type, readOnly],
        ...[path ?? maxLength],
      ]);
    expect(told).toEqual([
      ['fullName', 'calculated', 'string', true, 50],
      ['yearly', 'calculated', 'number', true, undefined],
      ['share', 'calculated', 'number', true, undefined],
      ['isMany', 'calculated', 'bool', true, undefined],
      ['next', 'calculated', 'long64', true, undefined],
      ['firmName', 'alias', 'string', true, 'firm.name'],
      ['bossFirm', 'alias', 'string', true, 'boss.firm.name'],
      ['firmIsForeign', 'alias', 'long', true, 'firm.isForeign'],
    ]);
  });

  test('are computed anew by what is saved, and may be repeated', async () => {
    const [, read] = await served.get('Worker(4)');
    const [status, body] = await served.post('Worker?$method=update', {
      ...(read as object),
      first: 'Dora',
      pay: 8,
      firm: 2,
    });
    expect([status, body]).toMatchObject([
      200,
      { fullName: 'Dora Lee', yearly: 96, firmName: 'Béta', __STATUS: { success: true } },
    ]);
    const changed = { ...(body as Entity), yearly: 1 };
    const message = 'Worker.yearly is read-only: see sql in its mapping file.';
    expect(await served.post('Worker?$method=update', changed)).toMatchObject([
      422,
      { __ERROR: [{ errCode: 1516, message }] },
    ]);
    expect(
      await served.post('Worker?$method=update', { id: 9, first: 'Eve', order: 1, last: 'X' }),
    ).toMatchObject([200, { fullName: 'Eve X', yearly: null, isMany: false, firmName: null }]);
    expect(
      await served.post('Worker?$method=update', { id: 10, first: 'F', order: 1, yearly: 7 }),
    ).toMatchObject([422, { __ERROR: [{ errCode: 1516, message }] }]);
    expect(await served.delete(`Worker?$filter="fullName='eve x'"`)).toEqual([
      200,
      { ok: true },
      1,
    ]);
    expect(
      await served.post('Worker?$method=update', {
        ...(body as Entity),
        first: 'Di',
        pay: 7,
        firm: 1,
      }),
    ).toMatchObject([200, { yearly: 84 }]);
  });
});

onEngines(
  'what a role hides hides what is computed of it',
  byRole,
  (served) => {
    test('but where the role names that', async () => {
      const [, body] = await served.get('Worker(1)');
      expect(Object.keys(body as object).slice(4)).toEqual([
        ...['id', 'fullName', 'isMany', 'next', 'firmIsForeign', 'first', 'order'],
        ...['firm', 'boss', 'team'],
      ]);
      expect(await served.get('Worker?$filter="firmName=Acme"')).toEqual([
        404,
        {
          __ERROR: [
            {
              message: expect.stringMatching(/^Dataclass Worker has no attribute firmName\./),
              componentSignature: 'dbmg',
              errCode: 1500,
            },
          ],
        },
      ]);
      expect(await served.get('Worker?$orderby=yearly')).toMatchObject([
        404,
        { __ERROR: [{ errCode: 1500 }] },
      ]);
    });
  },
  ['postgres'],
);
