import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type Answer, type Gateway } from '../targets/gateway.ts';
import { pgliteTarget } from '../targets/pglite.ts';
import type { OpenTarget } from '../targets/target.ts';

describe('settings for older clients of the protocol', () => {
  let opened: OpenTarget;
  let gateway: Gateway;
  beforeAll(async () => {
    opened = await pgliteTarget.open();
    gateway = await startGateway(opened.database, { simpleDates: true, requireStamp: false });
  });
  afterAll(async () => {
    await gateway.close();
    await opened.close();
  });

  const post = (url: string, body: unknown): Promise<Answer> =>
    gateway.get(`/rest/${url}`, {
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
});
