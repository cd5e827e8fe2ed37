import { expect } from 'vitest';
import { parsed, rows } from '../rows.ts';
import type { Client, Request } from './client.ts';
import { refusal } from './values.ts';
import { type SequenceCase, sequence } from './suite.ts';

type Entity = Readonly<Record<string, unknown>>;

/** Makes an entity and answers it. */
async function made(rest: Client, dataclass: string, body: object): Promise<Entity> {
  const answer = await rest.send({ url: dataclass, body });
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Entity;
}

const addressOf = ({ uri }: Entity): string => String(uri).replace('/rest/', '');

const read = async (rest: Client, url: string): Promise<unknown> =>
  (await rest.send({ method: 'GET', url })).body;

/** Entities with a stamp of each kind, and one attribute of which each client has its own value. */
const contested = rows`
  a counter | Category | {code: Contested, position: 600} | position | [601, 602, 603, 604]
  a row version, or xmin | Product | {sku: CASE-X1, name: P, category: Tools, listPrice: 1, barcode: 6000000009001} | name | [A, B, C, D]
  a hash | ExchangeRate | {currency: UTO, date: '1913-01-01', rate: 1.25} | rate | [1.5, 1.75, 2, 2.25]
  a hash, or xmin | Holiday | {date: '1913-01-01', name: Day} | name | [A, "B's", C, d]
`;

const nested = (depth: number): string => `{"position":${'['.repeat(depth)}${']'.repeat(depth)}}`;

/** Bodies that a line of text does not hold. */
const refused: readonly (readonly [string, Request['body'], number, number, RegExp])[] = [
  [
    'not in UTF-8',
    Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d),
    400,
    9016,
    /^The body is not in UTF-8\.$/,
  ],
  [
    ...(['too large', `{"description":"${'x'.repeat(17 * 2 ** 20)}"}`, 413, 9005] as const),
    /^The body is larger than 16777216 bytes \(16 MB\), the most that is accepted\. Send less at once\.$/,
  ],
  ['nested too deeply', nested(200_000), 400, 9016, /it is nested too deeply \(at position 1/],
];

export const writes: readonly SequenceCase[] = [
  sequence(
    '§4.6 create: fields of the answer stand in the order of the specification',
    async (rest) => {
      const { text } = await rest.send({
        url: 'Category',
        body: { code: 'In order', position: 1 },
      });
      const uri = '/rest/Category(%22In%20order%22)';
      expect(text.replace(/[\d.:T-]+(?=Z",)/, '')).toBe(
        `{"__STATUS":{"success":true},"__entityModel":"Category","__DATACLASS":"Category","__KEY":"In order","__TIMESTAMP":"` +
          `Z","__STAMP":1,"uri":"${uri}","code":"In order","position":1,"description":null,"products":{"__deferred":{"uri":"${uri}/products?$expand=products"}}}`,
      );
    },
  ),
  ...contested.map(([stamp = '', dataclass = '', given = '', attribute = '', all = '']) =>
    sequence(
      `§2.1 of four saves, and of four deletes, with one stamp one wins: ${stamp}`,
      async (rest) => {
        const values = parsed<(string | number)[]>(all);
        const { __KEY, __STAMP, ...one } = await made(rest, dataclass, parsed(given));
        const saves = await Promise.all(
          values.map((value) =>
            rest.send({ url: dataclass, body: { __KEY, __STAMP, [attribute]: value } }),
          ),
        );
        expect(saves.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
        const won = values.filter((_, index) => saves[index]?.status === 200);
        const now = (await read(rest, addressOf(one))) as Entity;
        expect(now[attribute]).toBe(won[0]);
        const named = { __KEY, __STAMP: now['__STAMP'] };
        const deletes = await Promise.all(
          values.map(() => rest.send({ url: `${dataclass}?$method=delete`, body: named })),
        );
        expect(deletes.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
        expect(await read(rest, addressOf(one))).toMatchObject({ __ERROR: [{ errCode: 1543 }] });
      },
    ),
  ),
  sequence(
    '§2.3 __GlobalStamp goes on with each change, whatever dataclass is read',
    async (rest) => {
      const stamp = async (): Promise<number> =>
        ((await read(rest, 'Holiday?$top=1')) as { __GlobalStamp: number }).__GlobalStamp;
      const before = await stamp();
      const { __KEY, __STAMP } = await made(rest, 'Category', { code: 'Stamped', position: 1 });
      const created = await stamp();
      expect(created).toBeGreaterThan(before);
      await made(rest, 'Category', { __KEY, __STAMP, position: 2 });
      expect(await stamp()).toBeGreaterThan(created);
    },
  ),
  ...[
    'Employee(400)',
    'Company(3)',
    'Product(2)',
    'Order(7)',
    'Document(c0ffee00-0000-4000-8000-000000000003)',
    'Project(3)',
    'Department("R&D")',
    'User(2)',
  ].map((url) =>
    sequence(
      `§4.6 update: an entity sent back as it was read changes nothing: ${url}`,
      async (rest) => {
        const whole = (await read(rest, url)) as Entity;
        const uri: unknown = expect.stringMatching(/^\/rest\//);
        const same = { __STATUS: { success: true }, ...whole, uri };
        const { body: answered } = await rest.answers(
          { url: url.replace(/\(.*/, ''), body: whole },
          same,
        );
        await rest.answers({ url: url.replace(/\(.*/, ''), body: answered }, same);
      },
    ),
  ),
  sequence(
    '§4.6 update: $asArray with an expanded collection sent back changes nothing',
    async (rest) => {
      const url = 'Company?$filter=ID<4&$attributes=name,employees.lastName&$asArray=true';
      const before = (await read(rest, url)) as readonly Entity[];
      const { body } = await rest.send({ url: 'Company', body: before });
      const succeeded = { __STATUS: { success: true } };
      expect(body).toMatchObject({
        __ENTITIES: before.map(({ __STAMP, employees }) => ({
          ...succeeded,
          __STAMP,
          employees: { __ENTITIES: (employees as readonly Entity[]).map(() => succeeded) },
        })),
      });
      expect(await read(rest, url)).toEqual(before);
    },
  ),
  sequence(
    '§4.6 update: a collection sent back with one change saves that change',
    async (rest) => {
      const url = 'Country?$filter="isoNumber < 100"&$orderby=isoNumber';
      const page = (await read(rest, url)) as { __ENTITIES: readonly Entity[] };
      const [one, two, ...others] = page.__ENTITIES;
      const body = { ...page, __ENTITIES: [one, { ...two, population: 9 }, ...others] };
      const { body: answered } = await rest.send({ url: 'Country', body });
      expect(answered).toMatchObject({
        __ENTITIES: page.__ENTITIES.map(({ __STAMP }, index) => ({
          __STATUS: { success: true },
          __STAMP: Number(__STAMP) + (index === 1 ? 1 : 0),
        })),
      });
    },
  ),
  ...refused.map(([title, body, status, errCode, says]) =>
    sequence(`§4.6 a body that is refused: ${title}`, async (rest) => {
      await rest.answers({ url: 'Category', body }, refusal(errCode, says), status);
    }),
  ),
  sequence('§4.6 a body that is nested deeply', async (rest) => {
    const { status, body } = await rest.send({ url: 'Category', body: nested(500) });
    expect(status).toBe(400);
    const message = `${'['.repeat(60)}… is not a value for Category.position: expected one value, not an array.`;
    expect(body).toMatchObject({ __ERROR: [{ errCode: 1508, message }, { errCode: 1116 }] });
  }),
];
