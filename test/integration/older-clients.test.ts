import { beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { defaultLimits } from '../../src/base/limits.ts';
import { withContract } from '../conformance/contract.ts';
import type { Answer, Gateway } from '../targets/gateway.ts';
import { onEveryTarget, serving } from './writing.ts';

await onEveryTarget('settings for older clients of the protocol', (target) => {
  const { gateway, start } = serving(target, { simpleDates: true, requireStamp: false });
  /** With its defaults, but for what older clients need. */
  let compatible: Gateway;
  beforeAll(async () => {
    compatible = await start({
      compatibility: { deleteByGet: true, overrideStamp: true },
      limits: { ...defaultLimits, maxTop: 3, beyondMaxTop: 'shorten' },
    });
  });

  const post = (url: string, body: unknown, to: Gateway = gateway): Promise<Answer> =>
    to.get(`/rest/${url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const birthDates = async (filter: string): Promise<unknown> => {
    const { body } = await gateway.get(
      `/rest/Employee?$filter="${encodeURIComponent(filter)}"&$attributes=birthDate&$asArray=true`,
    );
    return (body as { birthDate: unknown }[]).map(({ birthDate }) => birthDate);
  };

  test('server.createdStatus: one new entity is 201, at its URI; all else stays 200', async () => {
    const { server } = await loadConfig('config.yaml', {});
    const settings = { server: { ...server, createdStatus: 201 as const } };
    const created = await withContract(await start(settings));
    const answered = ({ status, headers, body }: Answer): unknown[] => [
      status,
      headers['location'],
      (body as { __KEY?: string }).__KEY,
    ];
    const one = await post(
      'Project?$method=update',
      { code: 'MADE-0', name: 'Created Ltd', startDate: '2024-05-06' },
      created,
    );
    const { __KEY: key, __STAMP: stamp } = one.body as { __KEY: string; __STAMP: number };
    expect(answered(one)).toEqual([201, `/rest/Project(${key})`, key]);
    expect((await created.get(String(one.headers['location']))).body).toMatchObject({
      __KEY: key,
      code: 'MADE-0',
    });
    const update = { __STAMP: stamp, name: 'Updated Ltd' };
    expect(answered(await post(`Project(${key})`, update, created))).toEqual([200, undefined, key]);
    const tried = await post(
      'Project?$refresh=true',
      { code: 'MADE-1', name: 'Tried Ltd', startDate: '2024-05-06' },
      created,
    );
    expect(answered(tried).slice(0, 2)).toEqual([200, undefined]);
    const many = await post(
      'Project?$method=update',
      [{ code: 'MADE-2', name: 'Many Ltd', startDate: '2024-05-06' }],
      created,
    );
    expect(answered(many)).toEqual([200, undefined, undefined]);
    const refused = await post('Project?$method=update', { name: null }, created);
    expect(refused.headers['location']).toBeUndefined();
    expect(refused.status).toBeGreaterThanOrEqual(400);
    const usual = await post('Project?$method=update', {
      code: 'MADE-3',
      name: 'Usual Ltd',
      startDate: '2024-05-06',
    });
    expect(answered(usual).slice(0, 2)).toEqual([200, undefined]);
    await created.get(`/rest/Project?$method=delete&$filter="name like '@ Ltd'"`, {
      method: 'POST',
    });
  });

  test('simpleDates: the catalog says which dates are answered as d!m!yyyy', async () => {
    const { body } = await gateway.get('/rest/$catalog/Employee');
    const { dataClasses } = body as { dataClasses: [{ attributes: { simpleDate?: boolean }[] }] };
    const simple = dataClasses[0].attributes.filter(({ simpleDate }) => simpleDate === true);
    expect(simple).toEqual([
      expect.objectContaining({ name: 'birthDate', type: 'date' }),
      expect.objectContaining({ name: 'hireDate', type: 'date' }),
    ]);
  });

  test('simpleDates: what is answered is taken in filters and bodies, and null stays null', async () => {
    expect(await birthDates('ID = 2 or ID = 4')).toEqual(['29!2!1980', null]);
    expect(await birthDates('birthDate = 29!2!1980')).toEqual(['29!2!1980']);
    const read = await gateway.get('/rest/Employee(2)');
    const { __STAMP: stamp } = read.body as { __STAMP: number };
    const saved = await post('Employee?$method=update', read.body);
    expect(saved.body).toMatchObject({ __STATUS: { success: true }, __STAMP: stamp });
    await post('Employee(2)', { birthDate: '0!0!0' });
    expect(await birthDates('ID = 2')).toEqual([null]);
  });

  test('simpleDates: keys keep their form', async () => {
    const { body } = await gateway.get('/rest/Holiday(14!7!2024)?$attributes=date');
    expect(body).toMatchObject({ __KEY: '2024-07-14', date: '14!7!2024' });
  });

  test('requireStamp: false lets a stamp below zero overwrite, and delete', async () => {
    const given = { code: 'Overwritten', position: 1 };
    await post('Category', given);
    const changed = await post('Category', { __KEY: 'Overwritten', __STAMP: -1, position: 2 });
    expect(changed.body).toMatchObject({ __STATUS: { success: true }, position: 2 });
    const gone = await post('Category?$method=delete', { __KEY: 'Overwritten', __STAMP: -1 });
    expect(gone.body).toEqual({ ok: true });
  });

  test('compatibility.overrideStamp lets a stamp below zero overwrite where stamps are required', async () => {
    await post('Category', { code: 'Override', position: 1 });
    const changed = await post(
      'Category',
      { __KEY: 'Override', __STAMP: -1, position: 2 },
      compatible,
    );
    expect(changed.body).toMatchObject({ __STATUS: { success: true }, position: 2 });
    const unstamped = await post('Category', { __KEY: 'Override', position: 3 }, compatible);
    expect([unstamped.status, unstamped.body]).toMatchObject([
      400,
      { __ERROR: [{ errCode: 1263 }] },
    ]);
    const gone = await post(
      'Category?$method=delete',
      { __KEY: 'Override', __STAMP: -1 },
      compatible,
    );
    expect(gone.body).toEqual({ ok: true });
  });

  test('compatibility.deleteByGet lets GET delete, but for pages of other sites', async () => {
    for (const code of ['Get1', 'Get2', 'Get3']) await post('Category', { code, position: 77 });
    const left = async (): Promise<unknown> =>
      (await gateway.get('/rest/Category?$filter="position = 77"&$attributes=code&$asArray=true'))
        .body;
    const refused = await gateway.get('/rest/Category(Get1)?$method=delete');
    expect([refused.status, refused.body]).toMatchObject([405, { __ERROR: [{ errCode: 9004 }] }]);
    const foreign = await compatible.get('/rest/Category(Get1)?$method=delete', {
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect([foreign.status, foreign.body]).toMatchObject([403, { __ERROR: [{ errCode: 9040 }] }]);
    expect(await left()).toHaveLength(3);
    const one = await compatible.get(`/rest/Category(Get1)?$method='delete'`);
    expect([one.status, one.body]).toEqual([200, { ok: true }]);
    const again = await compatible.get('/rest/Category(Get1)?$method=delete');
    expect([again.status, again.body]).toMatchObject([404, { __ERROR: [{ errCode: 1542 }] }]);
    const several = await compatible.get(
      '/rest/Category?$filter="position = 77 and code = Get2"&$method=delete',
    );
    expect([several.status, several.body]).toEqual([200, { ok: true }]);
    expect(await left()).toMatchObject([{ code: 'Get3' }]);
    const { body: made } = await compatible.get(
      '/rest/Category?$filter="position = 77"&$method=entityset',
    );
    const { __ENTITYSET: uri } = made as { __ENTITYSET: string };
    expect((await compatible.get(`${uri}?$method=delete`)).body).toEqual({ ok: true });
    expect(await left()).toEqual([]);
    const read = await compatible.get(`/rest/Category?$filter="code = 'x&$method=delete'"`);
    expect([read.status, read.body]).toMatchObject([200, { __COUNT: 0 }]);
    const unclosed = await compatible.get('/rest/Category?$filter="code&$method=delete');
    expect([unclosed.status, unclosed.body]).toMatchObject([400, { __ERROR: [{ errCode: 1809 }] }]);
  });

  test('limits.beyondMaxTop: shorten answers as many entities as there may be', async () => {
    const { body } = await compatible.get('/rest/Employee?$limit=100000&$attributes=ID');
    expect(body).toMatchObject({
      __COUNT: 400,
      __FIRST: 0,
      __SENT: 3,
      __ENTITIES: [{ ID: 1 }, { ID: 2 }, { ID: 3 }],
    });
    const { body: page } = await compatible.get(
      '/rest/Employee?$top=100000&$skip=398&$attributes=ID&$asArray=true',
    );
    expect(page).toMatchObject([{ ID: 399 }, { ID: 400 }]);
    const { body: values } = await compatible.get('/rest/Employee/ID?$distinct=true&$top=100000');
    expect(values).toEqual([1, 2, 3]);
    const refused = await gateway.get('/rest/Employee?$limit=100000');
    expect([refused.status, refused.body]).toMatchObject([400, { __ERROR: [{ errCode: 9007 }] }]);
  });

  test('__STAMP and __GlobalStamp of a rowversion stand in filters and orders; of xmin the message says why not', async () => {
    const find = (query: string): Promise<Answer> =>
      gateway.get(`/rest/Product?${query}&$attributes=name&$asArray=true`);
    const stampsOf = ({ body }: Answer): number[] =>
      (body as { __STAMP: number }[]).map(({ __STAMP: stamp }) => stamp);
    if (target.name !== 'SQL Server') {
      for (const query of ['$filter="__STAMP > 1"', '$filter="__GlobalStamp > 1"']) {
        const { status, body } = await find(query);
        expect([status, body]).toMatchObject([400, { __ERROR: [{ errCode: 1813 }] }]);
      }
      return;
    }
    const save = async (id: number, name: string): Promise<number> => {
      const { body } = await post('Product?$method=update', { __KEY: String(id), name });
      return (body as { __STAMP: number }).__STAMP;
    };
    const [first, second, third] = [await save(1, 'a'), await save(2, 'b'), await save(3, 'c')];
    const found = async (filter: string): Promise<number[]> =>
      stampsOf(await find(`$filter="${filter}"&$orderby="__GlobalStamp desc"`));
    const latest = stampsOf(await find('$orderby="__STAMP desc"'));
    expect(latest.slice(0, 3)).toEqual([third, second, first]);
    expect(latest).toEqual(latest.toSorted((a, b) => b - a));
    expect(await found(`__STAMP = ${second}`)).toEqual([second]);
    expect(await found(`__STAMP IN [${first}, ${third}]`)).toEqual([third, first]);
    expect(await found(`__GlobalStamp >= ${second}`)).toEqual([third, second]);
    expect(await found(`NOT (__GlobalStamp < ${first})`)).toEqual([third, second, first]);
    expect(await found(`__STAMP = ${second}.5`)).toEqual([]);
    expect(await found(`__GlobalStamp > ${third}`)).toEqual([]);
  });
});
