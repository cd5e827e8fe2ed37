import { expect, test } from 'vitest';
import { mapped, errors, saved } from '../shapes/engines.ts';
import { onSqlServer, type Lacking } from './product.ts';

/** A collation of a whole database. */
interface Collated {
  readonly title: string;
  readonly collation: string;
  /** Of a column whose collation is the database's. */
  readonly type: string;
  /** Text beyond ASCII that the column holds. */
  readonly text: string;
  readonly ignoresCase: boolean;
  readonly lacking?: Lacking;
}

const databases: readonly Collated[] = [
  {
    title: 'a case-sensitive database',
    collation: 'Latin1_General_100_CS_AS',
    type: 'varchar(40)',
    text: 'Zoë costs 5 €',
    ignoresCase: false,
  },
  {
    // No code page: https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support
    title: 'a database of a Unicode-only collation',
    collation: 'Indic_General_100_CI_AS',
    type: 'nvarchar(40)',
    text: 'Zoë नमस्ते',
    ignoresCase: true,
  },
  {
    title: 'a database in UTF-8',
    collation: 'Latin1_General_100_CI_AS_SC_UTF8',
    type: 'varchar(40)',
    text: 'Zoë 日本 😀',
    ignoresCase: true,
    lacking: {
      version: /SQL Server 201[67]/,
      reason: 'UTF-8 collations came with SQL Server 2019',
    },
  },
];

for (const { title, collation, type, text, ignoresCase, lacking } of databases) {
  const first = {
    id: 1,
    name: 'Ada',
    nick: 'Ада',
    pay: 1234.56,
    born: '1815-12-10',
    seen: '2024-02-29T12:00:00.123Z',
    wakes: '06:30:00',
  };
  onSqlServer(
    title,
    {
      collation,
      sqlserver: [
        'CREATE SCHEMA app',
        `CREATE TABLE app.Person (Id int NOT NULL PRIMARY KEY, Name ${type} NOT NULL CONSTRAINT by_name UNIQUE, Nick nvarchar(40) NULL,
          Pay decimal(12, 2) NULL, Born date NULL, Seen datetime2(3) NULL, Wakes time(0) NULL,
          Boss ${type} NULL CONSTRAINT boss_of REFERENCES app.Person (Name))`,
        `INSERT INTO app.Person VALUES (1, N'Ada', N'Ада', 1234.56, '1815-12-10', '2024-02-29T12:00:00.123', '06:30', NULL)`,
      ],
      mappings: mapped(`
person: {dataclass: Person, table: app.Person, stamp: hash, requireStamp: false, attributes: {id: Id, name: Name, nick: Nick, pay: Pay, born: Born,
  seen: Seen, wakes: Wakes}, relations: {boss: {to: Person, foreignKey: boss_of}, staff: {inverse: boss}}}
`),
    },
    (served) => {
      test('is read, and filtered by values of every kind', async () => {
        expect(await served.get('Person')).toMatchObject([
          200,
          { __COUNT: 1, __ENTITIES: [first] },
        ]);
        for (const filter of [
          'name = Ada',
          'name begin A',
          'name IN [Ada, none]',
          'nick = "Ада"',
          'nick % "д"',
          'pay = 1234.56',
          'pay IN [1234.56, 1]',
          'born = 1815-12-10',
          'born IN [1815-12-10]',
          'seen = 2024-02-29T12:00:00.123Z',
          'wakes = 06:30:00',
        ]) {
          expect([filter, await served.get(`Person?$filter='${filter}'`)]).toMatchObject([
            filter,
            [200, { __COUNT: 1, __ENTITIES: [first] }],
          ]);
        }
        expect(await served.get('Person?$filter="name = ADA"&$top=0')).toMatchObject([
          200,
          { __COUNT: ignoresCase ? 1 : 0 },
        ]);
      });

      test('is written: text beyond ASCII, alone and in numbers, and what is related by it', async () => {
        const fields = { ...first, id: 2, name: text, nick: `${text} Ж` };
        expect(await served.post('Person', { ...fields, boss: '1' })).toEqual([
          200,
          saved('Person', '2', { ...fields, boss: expect.anything(), staff: expect.anything() }),
        ]);
        const more = [3, 4].map((id) => ({ id, name: `${text}${id}`, nick: text, boss: '2' }));
        expect(await served.post('Person', more)).toMatchObject([
          200,
          { __ENTITIES: [{ name: `${text}3` }, { name: `${text}4` }] },
        ]);
        expect(await served.post('Person', { __KEY: 3, pay: 0.5, nick: 'Ж' })).toMatchObject([
          200,
          { name: `${text}3`, pay: 0.5, nick: 'Ж' },
        ]);
        expect(
          await served.get(`Person?$filter="name = '${text}'"&$attributes=staff.name`),
        ).toMatchObject([
          200,
          {
            __COUNT: 1,
            __ENTITIES: [{ staff: { __ENTITIES: [{ name: `${text}3` }, { name: `${text}4` }] } }],
          },
        ]);
        expect(await served.get(`Person:name("${text}")`)).toMatchObject([200, { id: 2 }]);
        expect(await served.delete('Person(3,4)')).toEqual([200, { ok: true }]);
        expect(await served.get('Person?$orderby="name desc"&$attributes=id')).toMatchObject([
          200,
          { __ENTITIES: [{ id: 2 }, { id: 1 }] },
        ]);
      });
    },
    lacking,
  );
}

onSqlServer(
  'keys in a code page',
  {
    sqlserver: [
      'CREATE SCHEMA app',
      `CREATE TABLE app.Code (Id varchar(10) COLLATE Latin1_General_CI_AS NOT NULL PRIMARY KEY, Name nvarchar(40) NULL)`,
      `INSERT INTO app.Code VALUES ('?', N'a question mark'), ('o', N'a letter')`,
    ],
    mappings: {
      code: 'dataclass: Code\ntable: app.Code\nstamp: hash\nrequireStamp: false\nattributes: { id: Id, name: Name }\n',
    },
  },
  (served) => {
    // What the code page lacks becomes a question mark or a letter that looks alike.
    test.each(['日', 'ō'])('what it lacks is no other key: %s', async (id) => {
      const missing = errors([1542, `There is no entity Code(${id}).`]);
      expect(await served.get(`Code("${id}")`)).toMatchObject([404, {}]);
      expect(await served.post('Code', { __KEY: id, name: 'changed' })).toMatchObject([
        404,
        missing,
      ]);
      expect((await served.post('Code?$method=delete', { __KEY: id }))[0]).toBe(404);
      expect((await served.delete(`Code("${id}")`))[0]).toBe(404);
      expect(await served.get('Code')).toMatchObject([
        200,
        { __ENTITIES: [{ name: 'a question mark' }, { name: 'a letter' }] },
      ]);
    });
  },
);
