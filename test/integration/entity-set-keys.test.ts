import { expect, test } from 'vitest';
import { idOf, makeSet, slotsOf, type Slots } from './sets.ts';
import { errors, onEngines } from './shapes/engines.ts';
import { counts, shape } from './shapes/set-keys.ts';

/** A set keeps keys and no entities: whatever their type, each has to lead back to its own row, on every way there is. */
onEngines('entity sets by keys of every kind', shape, (served) => {
  const make = (path: string): Promise<string> => makeSet(served.gateway, path);
  const read = async (uri: string, query = ''): Promise<Slots> =>
    slotsOf(await served.gateway.get(`${uri}${query}`), 'n').slots;

  test.each(counts)('%s', async (dataclass, count) => {
    const table = `app.${dataclass.toLowerCase()}`;
    const down = Array.from({ length: count }, (_, index) => count - index);
    const uri = await make(`${dataclass}?$orderby="n desc"&$method=entityset`);

    expect(await read(uri)).toEqual(down);
    for (const [index, n] of down.entries()) {
      expect(await read(uri, `?$skip=${index}&$top=1`)).toEqual([n]);
    }
    const entities = (await served.gateway.get(`${uri}?$attributes=n`)).body as {
      readonly __ENTITIES: readonly { readonly __KEY: string }[];
    };
    for (const [index, { __KEY: key }] of entities.__ENTITIES.entries()) {
      const found = await served.get(
        `${uri.replace('/rest/', '')}?$findKey='${encodeURIComponent(key)}'`,
      );
      expect([key, ...found]).toEqual([key, 200, { result: index }]);
    }

    const low = await make(`${dataclass}?$filter="n<3"&$orderby=n&$method=entityset`);
    const combined = (one: string, operator: string, other: string): Promise<Slots> =>
      read(one, `?$logicOperator=${operator}&$otherCollection=${idOf(other)}`);
    expect(await combined(uri, 'AND', low)).toEqual([2, 1]);
    expect(await combined(low, 'OR', uri)).toEqual([1, 2, ...down.slice(0, -2)]);
    expect(await combined(uri, 'EXCEPT', low)).toEqual(down.slice(0, -2));
    expect(await combined(low, 'EXCEPT', uri)).toEqual([]);
    expect(await read(uri, '?$filter="n<3"')).toEqual([2, 1]);
    expect(await read(uri, '?$orderby=n')).toEqual(down.toReversed());

    await served.run(`DELETE FROM ${table} WHERE n = 2`);
    const slots = down.map((n) => (n === 2 ? null : n));
    expect(await read(uri)).toEqual(slots);
    expect(await read(uri, '?$clean=true')).toEqual(down.filter((n) => n !== 2));
    expect(await read(uri, '?$orderby=n')).toEqual([
      ...down.filter((n) => n !== 2).toReversed(),
      null,
    ]);
    expect(await read(low, '?$filter="n>0"')).toEqual([1]);

    const path = low.replace('/rest/', '');
    expect(await served.post(`${path}?$method=delete`)).toEqual([200, { ok: true }, 1]);
    expect(await read(low)).toEqual([null, null]);
    expect(await read(uri)).toEqual(down.map((n) => (n < 3 ? null : n)));
  });

  test('the entities of a set that are read only are not deleted', async () => {
    await served.run('DELETE FROM app.guided');
    await served.run("INSERT INTO app.guided VALUES ('c0ffee00-0000-4000-8000-000000000002', 1)");
    const uri = await make('Shown?$method=entityset');
    const path = uri.replace('/rest/', '');
    const refusal = [
      403,
      errors([
        1560,
        'Entities of Shown cannot be deleted: it is read-only (see readOnly in its mapping file).',
      ]),
    ];
    expect(await served.post(`${path}?$method=delete`)).toEqual(refusal);
    expect(await served.post(`${path}?$filter="n=1"&$method=delete`)).toEqual(refusal);
    expect(await served.delete(path)).toEqual(refusal);
    expect(await read(uri)).toEqual([1]);
  });
});
