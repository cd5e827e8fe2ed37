import { describe, expect, test } from 'vitest';
import { onEngines } from './shapes/engines.ts';
import { oddValues } from './shapes/values.ts';

onEngines('odd values', oddValues, (served) => {
  describe('JSON null in a column is null', () => {
    test.each([
      ['body = null', [1, 2, 3]],
      ['body != null', [4]],
      ['NOT(body = null)', [4]],
      ['extra = null', [1, 2]],
      ['extra IS NOT null', [3, 4]],
      ['extra.a = null', [1, 2, 3, 4]],
    ])('%s', async (filter, ids) => {
      expect(await served.get(`Doc?$filter=${filter}&$attributes=id&$asArray=true`)).toMatchObject([
        200,
        ids.map((id) => ({ id })),
      ]);
    });

    test('and is answered so', async () => {
      expect(await served.get('Doc?$attributes=body,extra&$asArray=true')).toMatchObject([
        200,
        [
          { body: null, extra: null },
          { body: null, extra: null },
          { body: null, extra: { a: null } },
          { body: { a: 1 }, extra: 'null' },
        ],
      ]);
    });
  });

  describe('the last moments that clients of .NET send', () => {
    const never = '9999-12-31T23:59:59.9999999Z';
    const sent = { milli: never, whole: never, coarse: never, hour: '23:59:59.9999999' };

    test('are cut to the digits of their columns', async () => {
      const kept = {
        milli: '9999-12-31T23:59:59.999Z',
        whole: '9999-12-31T23:59:59.000Z',
        coarse: `9999-12-31T23:59:59.99${served.isSqlServer ? '7' : '0'}Z`,
        hour: '23:59:59.999',
      };
      expect(await served.post('Event', { id: 1, ...sent })).toMatchObject([200, kept]);
      const names = Object.keys(sent) as (keyof typeof sent)[];
      for (const name of names) {
        const found = await served.get(`Event?$filter=${name}='${sent[name]}'&$asArray=true`);
        expect(found, name).toMatchObject([200, [{ id: 1 }]]);
        const later = await served.get(`Event?$filter=${name}>'${sent[name]}'&$asArray=true`);
        expect(later, name).toEqual([200, []]);
      }
    });

    test('and so is all else', async () => {
      const body = {
        id: 2,
        milli: '2024-12-31T23:59:59.9996Z',
        whole: '2024-12-31T23:59:59.9996Z',
      };
      const cut = { milli: '2024-12-31T23:59:59.999Z', whole: '2024-12-31T23:59:59.000Z' };
      expect(await served.post('Event', { ...body, hour: '12:59:59.9999' })).toMatchObject([
        200,
        { ...cut, hour: '12:59:59.999' },
      ]);
    });
  });

  test('a byte order mark at the beginning of a text is text', async () => {
    const note = '\uFEFFx\uFEFF';
    expect(await served.post('Event', { id: 3, note })).toMatchObject([200, { note }]);
    expect(await served.get('Event(3)')).toMatchObject([200, { note }]);
    const filter = `note='${encodeURIComponent(note)}'`;
    expect(await served.get(`Event?$filter=${filter}&$asArray=true`)).toMatchObject([
      200,
      [{ id: 3 }],
    ]);
  });
});
