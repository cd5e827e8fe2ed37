import { describe, expect, test } from 'vitest';
import { onEngines } from './shapes/engines.ts';
import { camel, idOf, odd, roundTrip } from './shapes/round-trip.ts';

onEngines('values that go round', roundTrip, (served) => {
  const rows = odd.flatMap(([column, , values]) =>
    values.map((value, index) => ({ column, value, id: idOf(column, index) })),
  );
  const send = (path: string, body: string): Promise<{ status: number; text: string }> =>
    served.gateway.get(`/rest/${path}`, { method: 'POST', body });
  const read = async (path: string): Promise<string> =>
    (await served.gateway.get(`/rest/${path}`)).text;

  describe.each(rows)('$column $value', ({ id }) => {
    test('sent back as it was read changes nothing', async () => {
      const before = await read(`Odd(${id})`);
      served.gateway.takeChanges();
      expect(await send('Odd', before)).toMatchObject({ status: 200 });
      expect(served.gateway.takeChanges()).toEqual([]);
      expect(await read(`Odd(${id})`)).toBe(before);
    });
  });

  test.each(
    rows.filter(({ column }) => ['day', 'instant', 'local', 'hour', 'amount'].includes(column)),
  )('$column $value is found by what is answered', async ({ column, id }) => {
    const name = camel(column);
    const text = await read(`Odd(${id})/${name}`);
    const [, answered = ''] = new RegExp(`"${name}":("[^"]*"|[^,}]*)`).exec(text) ?? [];
    if (answered === 'null') return;
    const value = answered.replaceAll('"', '');
    const found = await read(
      `Odd?$filter=${name} = '${encodeURIComponent(value)}'&$attributes=id&$asArray=true`,
    );
    expect(found).toContain(`"id":${id}`);
  });

  test('null for a relation whose reference is partly null leaves its columns alone', async () => {
    const before = await read('Source(1)');
    expect(before).toContain('"ca":"part","cb":null,"target":null');
    const { __KEY, __STAMP } = JSON.parse(before) as Record<string, unknown>;
    expect(await send('Source', JSON.stringify({ __KEY, __STAMP, target: null }))).toMatchObject({
      status: 200,
    });
    expect(await read('Source(1)')).toBe(before);
  });

  test('null for a relation that leads somewhere clears it', async () => {
    const { __KEY, __STAMP } = JSON.parse(await read('Source(2)')) as Record<string, unknown>;
    await send('Source', JSON.stringify({ __KEY, __STAMP, target: null }));
    expect(await read('Source(2)')).toContain('"ca":null,"cb":null,"target":null');
  });

  test('what is changed and cannot be stored is refused', async () => {
    const { __STAMP } = JSON.parse(await read('Odd(1)')) as Record<string, unknown>;
    expect(await served.post('Odd', { __KEY: 1, __STAMP, day: 'soon' })).toMatchObject([
      400,
      {
        __KEY: '1',
        __ERROR: [
          {
            errCode: 1508,
            message: '"soon" is no value for Odd.day: expected a date such as 2024-12-31.',
          },
        ],
      },
    ]);
  });
});
