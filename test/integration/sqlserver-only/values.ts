import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import { seed } from '../../property/seed.ts';
import { command } from '../../targets/sql.ts';
import { errors, notCreated, saved } from '../shapes/engines.ts';
import { onSqlServer } from './product.ts';

/** Longer than what an nvarchar column holds that is not `max`. */
const LONG = `é${'x'.repeat(5000)}`;

/** What a LIKE pattern may have: 8,000 bytes (https://learn.microsoft.com/sql/t-sql/language-elements/like-transact-sql). */
const PATTERN = 4000;

/** Fills an nvarchar(4000). */
const FULL = 'x'.repeat(3999);

const DOUBLES = 10_000;

/** Doubles that float(53) documents to hold: normal ones, and 0. */
const double = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((value) => Math.abs(value) >= 2 ** -1022 || Object.is(value, 0));

onSqlServer(
  'values',
  {
    sqlserver: [
      'CREATE SCHEMA app',
      'CREATE TABLE app.note (id int NOT NULL PRIMARY KEY, text nvarchar(max) NULL)',
      'CREATE TABLE app.measure (id int NOT NULL PRIMARY KEY, value float NULL)',
      'CREATE TABLE app.heap (a nvarchar(4000) NULL, b nvarchar(4000) NULL, c nvarchar(4000) NULL)',
      `INSERT INTO app.heap SELECT v.a + t.x, v.a + t.x, v.a + n.x FROM (VALUES (REPLICATE(N'x', 3999))) v(a),
        (VALUES (N'1')) t(x), (VALUES (N'1'), (N'2'), (N'3')) n(x)`,
      'CREATE TABLE app.document (id int NOT NULL PRIMARY KEY, content xml NULL)',
    ],
    mappings: {
      note: 'dataclass: Note\ntable: app.note\nstamp: hash\nrequireStamp: false\nattributes: { id: id, text: text }\n',
      measure:
        'dataclass: Measure\ntable: app.measure\nstamp: hash\nattributes: { id: id, value: value }\n',
      heap: 'dataclass: Heap\ntable: app.heap\nstamp: hash\n',
      document: 'dataclass: Document\ntable: app.document\nstamp: hash\nrequireStamp: false\n',
    },
  },
  (served) => {
    test('text of 5,001 characters is saved whole, alone and among others, and found', async () => {
      expect(await served.post('Note', { id: 1, text: LONG })).toEqual([
        200,
        saved('Note', '1', { id: 1, text: LONG }),
      ]);
      const others = [
        { id: 2, text: 'short' },
        { id: 3, text: `${LONG}!` },
      ];
      expect(await served.post('Note', others)).toMatchObject([200, { __ENTITIES: others }]);
      expect(await served.post('Note', { __KEY: 2, text: `2${LONG}` })).toMatchObject([
        200,
        { text: `2${LONG}` },
      ]);
      const found = [200, { __COUNT: 1, __ENTITIES: [{ id: 1, text: LONG }] }];
      expect(await served.get(`Note?$filter="text = '${LONG}'"`)).toMatchObject(found);
      // So many that they travel as JSON.
      const list = [...Array.from({ length: 60 }, (_, index) => `none ${index}`), LONG];
      const params = encodeURIComponent(JSON.stringify([list]));
      expect(await served.get(`Note?$filter="text IN :1"&$params='${params}'`)).toMatchObject(
        found,
      );
    });

    test('a pattern of 4,000 characters finds, and a longer one is refused', async () => {
      const text = 'y'.repeat(PATTERN);
      await served.post('Note', { id: 10, text });
      const filter = (length: number): string =>
        `Note?$filter="text begin '${text.slice(0, length)}'"`;
      // The wildcard behind it counts, too.
      expect(await served.get(filter(PATTERN - 1))).toMatchObject([
        200,
        { __COUNT: 1, __ENTITIES: [{ id: 10, text }] },
      ]);
      expect(await served.get(filter(PATTERN))).toEqual([
        400,
        errors([1508, expect.any(String) as string]),
      ]);
      // Escaped, each of these is three characters.
      const escaped = encodeURIComponent('%'.repeat(Math.ceil(PATTERN / 3)));
      expect(await served.get(`Note?$filter="text begin '${escaped}'"`)).toEqual([
        400,
        errors([1508, expect.any(String) as string]),
      ]);
    });

    test('10,000 doubles keep every bit, as JSON and as parameters', async () => {
      const values = fc.sample(double, { numRuns: DOUBLES, seed });
      const all = values.map((value, index) => ({ id: index + 1, value }));
      for (let start = 0; start < DOUBLES; start += 1000) {
        const bodies = JSON.stringify(all.slice(start, start + 1000));
        const [status] = await served.post('Measure', bodies);
        expect([start, status]).toEqual([start, 200]);
      }
      const { text } = await served.gateway.get(`/rest/Measure?$top=${DOUBLES}&$asArray=true`);
      const read = JSON.parse(text) as readonly { readonly id: number; readonly value: number }[];
      const wrong = all.filter(({ value }, index) => !Object.is(read[index]?.value, value));
      expect({ seed, count: read.length, wrong: wrong.slice(0, 5) }).toEqual({
        seed,
        count: DOUBLES,
        wrong: [],
      });

      // Where a double goes as eight bytes, it is the one that went as text.
      const met: unknown[] = [];
      const float = { kind: 'float', bits: 64, native: 'float' } as const;
      for (let start = 0; start < DOUBLES; start += 1000) {
        const some = all.slice(start, start + 1000);
        const rows = some.map(({ id }, index) => `(${id}, @p${index + 1})`).join(', ');
        const equal = command(
          `SELECT m.id FROM app.measure m JOIN (VALUES ${rows}) v(id, value) ON v.id = m.id AND v.value = m.value`,
          'read',
          some.map(({ value }, index) => [{ kind: 'rowField', index, type: float }, String(value)]),
        );
        met.push(...(await served.gateway.database.run(equal, gatewayContext)).rows.flat());
      }
      expect({ seed, met: met.length }).toEqual({ seed, met: DOUBLES });
    });

    test('a table without key whose rows are longer than a sort takes has its pages', async () => {
      const tails: unknown[] = [];
      for (const skip of [0, 1, 2]) {
        const [status, body] = await served.get(`Heap?$top=1&$skip=${skip}`);
        const { __ENTITIES: entities, __COUNT: count } = body as {
          __ENTITIES: readonly { a: string; b: string; c: string }[];
          __COUNT: number;
        };
        expect([status, count, entities.length]).toEqual([200, 3, 1]);
        const [{ a, b, c } = { a: '', b: '', c: '' }] = entities;
        expect([a, b, c.slice(0, -1)]).toEqual([`${FULL}1`, `${FULL}1`, FULL]);
        tails.push(c.slice(-1));
      }
      expect(tails.toSorted()).toEqual(['1', '2', '3']);
    });

    test('XML that declares an encoding is saved, and answered without the declaration', async () => {
      const content = '<a b="é">€</a>';
      for (const [id, encoding] of ['utf-8', 'ISO-8859-1', 'utf-16'].entries()) {
        const declared = `<?xml version="1.0" encoding="${encoding}"?>${content}`;
        expect(await served.post('Document', { id, content: declared })).toEqual([
          200,
          saved('Document', String(id), { id, content }),
        ]);
        expect(await served.post('Document', { __KEY: id, content: declared })).toEqual([
          200,
          saved('Document', String(id), { id, content }),
        ]);
      }
    });
  },
);

onSqlServer(
  'columns of the type json',
  {
    sqlserver: [
      'CREATE SCHEMA app',
      'CREATE TABLE app.document (id int NOT NULL PRIMARY KEY, doc json NULL)',
    ],
    mappings: {
      document: 'dataclass: Document\ntable: app.document\nstamp: hash\nrequireStamp: false\n',
    },
  },
  (served) => {
    test('are written, read, filtered by their properties and cleared', async () => {
      const documents = [
        { id: 1, doc: { state: 'new', n: 1.5, deep: [{ a: null }] } },
        { id: 2, doc: ['é', '日本'] },
        { id: 3, doc: null },
      ];
      expect(await served.post('Document', documents)).toEqual([
        200,
        {
          __ENTITIES: documents.map((fields) => saved('Document', String(fields.id), fields)),
        },
      ]);
      for (const filter of ['doc.state = new', 'doc.n > 1', 'doc.deep.0 != null']) {
        expect([filter, await served.get(`Document?$filter='${filter}'`)]).toMatchObject([
          filter,
          [200, { __COUNT: 1, __ENTITIES: [documents[0]] }],
        ]);
      }
      expect(await served.post('Document', { __KEY: 1, doc: null })).toMatchObject([
        200,
        { id: 1, doc: null },
      ]);
      expect(await served.get('Document?$filter="doc = null"&$attributes=id')).toMatchObject([
        200,
        { __ENTITIES: [{ id: 1 }, { id: 3 }] },
      ]);
    });
  },
  { version: /SQL Server 20(?:1\d|22)/, reason: 'the type json came with SQL Server 2025' },
);

/** Local times around the end of summer in Berlin, as the column holds them and as the gateway answers them. */
const rows: readonly (readonly [local: string, instant: string])[] = [
  ['2024-10-27T01:59:59', '2024-10-26T23:59:59.000Z'],
  ['2024-10-27T02:00:00', '2024-10-27T01:00:00.000Z'],
  ['2024-10-27T02:30:00', '2024-10-27T01:30:00.000Z'],
  ['2024-10-27T02:59:59', '2024-10-27T01:59:59.000Z'],
  ['2024-10-27T03:00:00', '2024-10-27T02:00:00.000Z'],
];

const values = rows.map(([local], index) => `(${index + 1}, '${local}', '${local}')`).join(', ');

onSqlServer(
  'the hour that clocks repeat in autumn',
  {
    sqlserver: [
      'CREATE SCHEMA app',
      'CREATE TABLE app.event (id int NOT NULL PRIMARY KEY, fine datetime2(7) NULL, coarse datetime NULL)',
      `INSERT INTO app.event VALUES ${values}`,
    ],
    mappings: { event: 'dataclass: Event\ntable: app.event\nstamp: hash\n' },
    settings: { timeZone: 'Europe/Berlin' },
  },
  (served) => {
    const all = rows.map(([, instant], index) => ({
      id: index + 1,
      fine: instant,
      coarse: instant,
    }));

    test('is read with the offset of winter, as PostgreSQL reads it', async () => {
      expect(await served.get('Event')).toMatchObject([200, { __ENTITIES: all }]);
    });

    test('is found by what is answered, in its order', async () => {
      for (const attribute of ['fine', 'coarse']) {
        for (const [index, [, instant]] of rows.entries()) {
          expect(await served.get(`Event?$filter="${attribute} = ${instant}"`)).toMatchObject([
            200,
            { __COUNT: 1, __ENTITIES: [all[index]] },
          ]);
          expect(await served.get(`Event?$filter="${attribute} < ${instant}"`)).toMatchObject([
            200,
            { __ENTITIES: all.slice(0, index) },
          ]);
        }
      }
    });

    test('is saved as it is answered, and what would come back as another hour is refused', async () => {
      const again = { fine: '2024-10-27T01:30:00.000Z', coarse: '2024-10-27T01:30:00.000Z' };
      expect(await served.post('Event', { id: 8, ...again })).toMatchObject([200, again]);
      expect(await served.get('Event(8)')).toMatchObject([200, again]);
      const twice = expect.stringContaining('clocks show this hour twice') as string;
      for (const attribute of ['fine', 'coarse']) {
        const first = { id: 9, [attribute]: '2024-10-27T00:30:00Z' };
        expect(await served.post('Event', first)).toEqual([400, notCreated('Event', 1508, twice)]);
      }
      expect(await served.get('Event(9)')).toMatchObject([404, {}]);
    });
  },
);
