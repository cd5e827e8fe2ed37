import { describe, expect, test } from 'vitest';
import { onEngines } from './shapes/engines.ts';
import { linkedTypes, shape } from './shapes/linked-types.ts';

onEngines('a relation between columns of different types', shape, (served) => {
  describe.each(linkedTypes)(
    '$reference that refers to $key',
    ({ name, held: [key, value], next: [given, nextKey, nextValue], beyond }) => {
      const quoted = (text: string): string => (typeof value === 'string' ? `"${text}"` : text);
      const deferred = (text: string): object => ({
        __deferred: { uri: `/rest/Key${name}(${text})`, __KEY: text },
      });
      const stamped = { __STAMP: expect.any(Number) as number };
      const entity = { __KEY: '1', ...stamped, ID: 1, ref: value, to: deferred(key) };

      test('leads from both sides', async () => {
        const [status, body] = await served.get(`Key${name}?$expand=refs&$orderby=ID`);
        const { __ENTITIES: keys } = body as { __ENTITIES: { __KEY: string; refs: object }[] };
        expect([status, keys.map(({ __KEY, refs }) => [__KEY, refs])]).toEqual([
          200,
          [
            [key, expect.objectContaining({ __COUNT: 1, __ENTITIES: [entity] })],
            ...(beyond === null
              ? []
              : [[beyond[0], expect.objectContaining({ __COUNT: 0, __ENTITIES: [] })]]),
          ],
        ]);
        expect(await served.get(`Ref${name}(1)?$expand=to&$attributes=to`)).toEqual([
          200,
          {
            __entityModel: `Ref${name}`,
            __DATACLASS: `Ref${name}`,
            __KEY: '1',
            ...stamped,
            to: expect.objectContaining({ __KEY: key }) as object,
          },
        ]);
        expect(await served.get(`Key${name}(${quoted(key)})/refs`)).toMatchObject([
          200,
          { __COUNT: 1, __ENTITIES: [entity] },
        ]);
        expect(await served.get(`Ref${name}?$filter="to.ID=${key}"`)).toMatchObject([
          200,
          { __COUNT: 1, __ENTITIES: [entity] },
        ]);
      });

      test('is saved by a key, and along with either entity', async () => {
        const saved = { __STATUS: { success: true } };
        expect(await served.post(`Ref${name}`, { ID: 3, to: { __KEY: key } })).toMatchObject([
          200,
          { ...saved, ref: value, to: deferred(key) },
        ]);
        const list = { ID: given, name: 'new', refs: [{ ID: 4 }] };
        const ref = { ...saved, __KEY: '4', ref: nextValue, to: deferred(nextKey) };
        expect(await served.post(`Key${name}`, list)).toMatchObject([
          200,
          { ...saved, __KEY: nextKey, refs: { __ENTITIES: [ref] } },
        ]);
        expect(await served.post(`Ref${name}?$filter="to.ID=${nextKey}"&$method=delete`)).toEqual([
          200,
          { ok: true },
          1,
        ]);
        expect(await served.delete(`Key${name}(${quoted(nextKey)})`)).toEqual([200, { ok: true }]);
        const along = { ID: 6, to: { ID: given, name: 'new' } };
        expect(await served.post(`Ref${name}`, along)).toMatchObject([
          200,
          { ...saved, __KEY: '6', ref: nextValue, to: { ...saved, __KEY: nextKey } },
        ]);
      });
    },
  );

  const narrower = linkedTypes.flatMap(({ beyond, ...types }) =>
    beyond === null ? [] : [{ ...types, beyond }],
  );
  test.each(narrower)(
    '$reference that cannot hold a $key says so',
    async ({ name, beyond: [key, expected, refused] }) => {
      const message = `"${Number(key)}" is not a value for Ref${name}.to: expected ${expected}.`;
      const [status, body] = await served.post(`Ref${name}`, { ID: 5, to: key });
      expect([status, body]).toMatchObject([refused, { __ERROR: [{ message }] }]);
      expect(await served.get(`Ref${name}(5)`)).toMatchObject([404, {}]);
    },
  );
});
