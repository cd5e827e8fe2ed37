import { expect, test } from 'vitest';
import { query } from '../targets/sql.ts';
import { itemTypes, lists } from './shapes/engine-types.ts';
import { onEngines } from './shapes/engines.ts';

onEngines('arrays', lists, (served) => {
  const write = async (body: string): Promise<string> =>
    (await served.gateway.get('/rest/List', { method: 'POST', body })).text;
  const read = async (id: number): Promise<string> =>
    (await served.gateway.get(`/rest/List(${id})`)).text;

  test.each(itemTypes.map((item, index) => [...item, index + 1] as const))(
    'items of %s, %s, are what a column of the type is: %s',
    async (name, _type, sent, answered, id) => {
      const list = `${name}List`;
      const shape = (one: string): string => `[[${one},null],[null,${one}]]`;
      const told = await write(`{"id":${id},"${name}":${sent},"${list}":${shape(sent)}}`);
      expect(told).toContain(`"${name}":${answered},"${list}":${shape(answered)}`);
      const before = await read(id);
      expect(before).toContain(`"${name}":${answered},"${list}":${shape(answered)}`);
      served.gateway.takeChanges();
      await write(before);
      expect(served.gateway.takeChanges()).toEqual([]);
      const column = list.replace('L', '_l');
      expect(
        await query(
          served.gateway.database,
          `SELECT ${column}[1][1]::text = ${name}::text, ${column}[1][2] IS NULL, array_length(${column}, 2) FROM app.list WHERE id = ${id}`,
        ),
      ).toEqual([['t', 't', '2']]);
    },
  );

  test('bytes are Base64, JSON is JSON, and money is not text of its locale', async () => {
    const sent =
      '"rawList":["3q2+7w==",null,""],"docList":[[1,[2.50]],{"a":null},null,"x"],"moneyList":[1.50,null]';
    const answered = sent.replace('[1,[2.50]],{"a":null}', '[1, [2.50]],{"a": null}');
    expect(await write(`{"id":100,${sent}}`)).toContain(answered);
    expect(
      await query(
        served.gateway.database,
        "SELECT raw_list[1] = '\\xdeadbeef', doc_list[1] = '[1,[2.5]]', money_list[1] = 1.5::money FROM app.list WHERE id = 100",
      ),
    ).toEqual([['t', 't', 't']]);
    const before = await read(100);
    served.gateway.takeChanges();
    await write(before);
    expect(served.gateway.takeChanges()).toEqual([]);
  });

  test('what only PostgreSQL has is answered as single values are', async () => {
    await served.run(
      "INSERT INTO app.list (id, local_list, sum_list, day_list) VALUES (102, '{infinity,12345-01-02 03:04:05}', '{NaN}', '{0044-03-15 BC}')",
    );
    const before = await read(102);
    expect(before).toContain('"localList":["infinity","12345-01-02T02:04:05.000Z"]');
    expect(before).toContain('"sumList":[null]');
    expect(before).toContain('"dayList":["0044-03-15 BC"]');
    served.gateway.takeChanges();
    await write(before);
    expect(served.gateway.takeChanges()).toEqual([]);
  });
});
