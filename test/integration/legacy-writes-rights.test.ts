import { expect, test } from 'vitest';
import { errors, notCreated, notUpdated, onEngines, saved } from './shapes/engines.ts';
import { shape } from './shapes/written-rights.ts';

const UNNUMBERED = 'Babelfish gives missing rights no number of SQL Server';

onEngines('rights of the gateway’s login', shape, (served) => {
  const user = 'The gateway’s user of the database may not';
  const stampOf = async (path: string): Promise<number> => {
    const [, body] = await served.get(path);
    return (body as { __STAMP: number }).__STAMP;
  };

  test('a table that may only be read', async ({ skip }) => {
    skip(served.isBabelfish, UNNUMBERED);
    expect(await served.post('Readable', { id: 2 })).toEqual([
      403,
      notCreated('Readable', 1559, `${user} create entities of Readable.`),
    ]);
    const __STAMP = await stampOf('Readable(1)');
    expect(await served.post('Readable', { __KEY: 1, __STAMP, name: 'b' })).toEqual([
      403,
      notUpdated('Readable', '1', 1558, `${user} update entities of Readable.`),
    ]);
    expect(await served.delete('Readable(1)')).toEqual([
      403,
      errors(
        [1560, `${user} delete entities of Readable.`],
        [1518, 'Readable(1) was not deleted.'],
      ),
    ]);
    expect(await served.post('Readable?$filter="id=1"&$method=delete')).toEqual([
      403,
      errors(
        [1560, `${user} delete entities of Readable.`],
        [1518, 'No entity of Readable was deleted.'],
      ),
    ]);
  });

  test('a table of which entities may be deleted and not changed', async () => {
    expect(await served.delete('Deletable(1)')).toEqual([200, { ok: true }]);
  });

  test('a table of which one column may be changed', async ({ skip }) => {
    const name = { __KEY: 1, __STAMP: await stampOf('Partly(1)'), name: 'b' };
    expect(await served.post('Partly', { ...name, pay: 5 })).toEqual([
      200,
      saved('Partly', '1', { id: 1, name: 'b', pay: 5 }),
    ]);
    skip(served.isBabelfish, UNNUMBERED);
    const pay = { __KEY: 1, __STAMP: await stampOf('Partly(1)'), pay: 6 };
    expect(await served.post('Partly', pay)).toEqual([
      403,
      notUpdated('Partly', '1', 1558, `${user} update entities of Partly.`),
    ]);
    expect(await served.post('Partly?$atomic=true', [pay])).toEqual([
      403,
      errors(
        [1558, `Element 0 of the body, Partly(1): ${user} update entities of Partly.`],
        [1517, 'Partly(1) was not saved.'],
        [1046, 'Nothing of the request was saved.'],
      ),
    ]);
    expect(await served.get('Partly(1)')).toMatchObject([200, { name: 'b', pay: 5 }]);
  });
});
