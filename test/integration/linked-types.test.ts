import { describe, expect, test } from 'vitest';
import { parsed, rows } from '../rows.ts';
import { onEngines, type Shape } from './shapes/engines.ts';

/** A key, and the type of a column that refers to it. */
interface LinkedTypes {
  readonly name: string;
  /** The types in both languages. */
  readonly key: string;
  readonly reference: string;
  /** A value that both types have, as the key's `__KEY` and as the column holds it. */
  readonly held: readonly [key: string, value: unknown];
  /** Another such value, given to the key of a new entity. */
  readonly next: readonly [given: unknown, key: string, value: unknown];
  /** The `__KEY` of a value that the key's type alone has, what the column would have held, and the status of the refusal; null where there is none. */
  readonly beyond: readonly [key: string, expected: string, status: number] | null;
}

const INTEGER = 'a whole number from -2147483648 to 2147483647';

/** Pairs of types that one value is written in differently. */
const linkedTypes = rows`
  A | decimal(8, 2)    | int            | ['1.00', 1]     | [8, '8.00', 8]         | ['2.50', ${INTEGER}, 400]
  B | int              | decimal(8, 2)  | ['1', 1]        | [8, '8', 8]            | ['2000000', a number of at most 6 digits before its point, 422]
  D | decimal(10, 4)   | decimal(6, 2)  | ['1.5000', 1.5] | [8.25, '8.2500', 8.25] | ['2.5050', a number of at most 2 decimals, 422]
  F | double precision | decimal(6, 2)  | ['1.5', 1.5]    | [8.25, '8.25', 8.25]   | ['2.505', a number of at most 2 decimals, 422]
  G | char(8)          | varchar(4)     | [AB, AB]        | [XY, XY, XY]           | null
  H | varchar(8)       | char(4)        | [AB, 'AB  ']    | [XY, XY, 'XY  ']       | null
`.map(([name = '', key = '', reference = '', held = '', next = '', beyond = '']): LinkedTypes => ({
  ...{ name, key, reference },
  held: parsed<LinkedTypes['held']>(held),
  next: parsed<LinkedTypes['next']>(next),
  beyond: parsed<LinkedTypes['beyond']>(beyond),
}));

function statements({ name, key, reference, held, beyond }: LinkedTypes): string[] {
  const literal = (text: string): string => (key.includes('char') ? `'${text}'` : text);
  const keys = [held[0], ...(beyond === null ? [] : [beyond[0]])];
  return [
    `CREATE TABLE app.key_${name.toLowerCase()} (id ${key} NOT NULL PRIMARY KEY, name varchar(20) NULL)`,
    `CREATE TABLE app.ref_${name.toLowerCase()} (id int NOT NULL PRIMARY KEY, ref ${reference} NULL)`,
    `INSERT INTO app.key_${name.toLowerCase()} (id) VALUES ${keys.map((text) => `(${literal(text)})`).join(', ')}`,
    `INSERT INTO app.ref_${name.toLowerCase()} VALUES (1, ${literal(held[0])}), (2, NULL)`,
  ];
}

const all = linkedTypes.flatMap(statements);

const shape: Shape = {
  postgres: ['CREATE SCHEMA app', ...all].join(';\n'),
  sqlserver: ['CREATE SCHEMA app', ...all],
  mappings: Object.fromEntries(
    linkedTypes.flatMap(({ name }) => {
      const table = (text: string): string => `${text}_${name.toLowerCase()}`;
      return [
        [
          `key${name}`,
          `dataclass: Key${name}\ntable: app.${table('key')}\nstamp: hash\nattributes: { ID: id, name: name }\nrelations: { refs: { inverse: Ref${name}.to } }\n`,
        ],
        [
          `ref${name}`,
          `dataclass: Ref${name}\ntable: app.${table('ref')}\nstamp: hash\nattributes: { ID: id, ref: ref }\nrelations: { to: { to: Key${name}, columns: { ref: id } } }\n`,
        ],
      ];
    }),
  ),
};

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
        const filter = `Ref${name}?$filter="to.ID=${nextKey}"&$method=delete`;
        expect(await served.post(filter)).toEqual([200, { ok: true }, 1]);
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
