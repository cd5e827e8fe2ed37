import { expect, test } from 'vitest';
import { query } from '../../targets/sql.ts';
import { type Served, type Shape } from './engines.ts';

/** Types, what a body says of a value of theirs, and what is answered of it. */
const itemTypes = [
  ['long', 'int', '1.0', '1'],
  ['big', 'bigint', '"9007199254740993"', '"9007199254740993"'],
  ['sum', 'numeric(12,2)', '"1.5"', '1.50'],
  ['flag', 'boolean', '"TRUE"', 'true'],
  ['ratio', 'real', '0.10', '0.1'],
  ['label', 'varchar(3)', '"a,}"', '"a,}"'],
  ['pad', 'char(3)', '"a"', '"a  "'],
  ['day', 'date', '"31!12!2024"', '"31!12!2024"'],
  ['local', 'timestamp(3)', '"2024-07-01T12:00:00.9999"', '"2024-07-01T10:00:00.999Z"'],
  ['instant', 'timestamptz', '"2024-12-31T23:59:59.9999999Z"', '"2024-12-31T23:59:59.999999Z"'],
  ['hour', 'time(0)', '"23:59:59.9"', '"23:59:59"'],
  ['zoned', 'timetz', '"23:59:59.9999999+02:00"', '"23:59:59.999999+02"'],
  [
    'guid',
    'uuid',
    '"{C0FFEE0000004000800000000000000A}"',
    '"c0ffee00-0000-4000-8000-00000000000a"',
  ],
  ['mood', 'app.mood', '"calm"', '"calm"'],
  ['short', 'app.short', '"\\"\\\\"', '"\\"\\\\"'],
  ['net', 'inet', '"10.0.0.1/32"', '"10.0.0.1"'],
  ['box', 'box', '"(1,1),(0,0)"', '"(1,1),(0,0)"'],
] as const;

/** Types that the sample database does not have. */
export const ofPostgres: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TYPE app.mood AS ENUM ('calm', 'cross');
CREATE DOMAIN app.short AS varchar(3) CHECK (VALUE <> 'bad');
CREATE DOMAIN app.needed AS int NOT NULL;
CREATE TYPE app.pair AS (a int, b text);
CREATE TABLE app.every (id int PRIMARY KEY, mood app.mood, tags text[], span int4range, address inet, period interval,
  doc jsonb, text_doc text, short app.short, amount money, small real, big float8, at time(0), raw bytea);
CREATE TABLE app.net (address inet PRIMARY KEY, note text);
CREATE TABLE app.other (id int PRIMARY KEY, must app.needed DEFAULT 7, pair app.pair, bits bit(3), clock timetz, pt point, j json,
  "Mood""s" app.mood, words varchar(3)[], whole numeric(38), tiny float8, named name, lines text, x xml);
CREATE VIEW app.seen AS SELECT id, words AS list, "Mood""s" AS mood, must FROM app.other;
`,
  sqlserver: [],
  mappings: {
    every:
      'dataclass: Every\ntable: app.every\nstamp: hash\nattributes: { id: id, mood: mood, tags: tags, span: span, ' +
      'address: address, period: period, doc: doc, textDoc: { column: text_doc, type: object }, short: short, ' +
      'amount: amount, small: small, big: big, at: at, raw: raw }\n',
    net: 'dataclass: Net\ntable: app.net\nstamp: hash\n',
    other:
      "dataclass: Other\ntable: app.other\nstamp: hash\nattributes: { id: id, must: must, pair: pair, bits: bits, clock: clock, pt: pt, j: j, mood: 'Mood\"s', " +
      'words: words, whole: whole, tiny: tiny, named: named, lines: lines, x: x }\n',
    seen: 'dataclass: Seen\nview: app.seen\nkey: [id]\nstamp: hash\n',
  },
};

/** Arrays: a column of the items' type stands beside each, where what is read and written of it is compared with them. */
export const lists: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TYPE app.mood AS ENUM ('calm', 'cross');
CREATE DOMAIN app.short AS varchar(3);
CREATE TABLE app.list (id int PRIMARY KEY, ${itemTypes
    .map(([name, type]) => `${name} ${type}, ${name}_list ${type}[]`)
    .join(', ')}, raw_list bytea[], doc_list jsonb[], money_list money[]);
`,
  sqlserver: [],
  mappings: { list: 'dataclass: List\ntable: app.list\nstamp: hash\n' },
  settings: { timeZone: 'Europe/Berlin', bigNumbersAsStrings: true, simpleDates: true },
};

/** Types of SQL Server's own. */
export const ofSqlServer: Shape = {
  postgres: '',
  sqlserver: [
    'CREATE SCHEMA app',
    `CREATE TABLE app.every (id int NOT NULL PRIMARY KEY, doc xml NULL, variant sql_variant NULL, long text NULL,
      wide ntext NULL, amount money NULL, small smallmoney NULL, minute smalldatetime NULL, tick datetime NULL,
      real_no real NULL, float_no float NULL, at time(0) NULL, raw varbinary(8) NULL, narrow varchar(5) NULL)`,
  ],
  mappings: { every: 'dataclass: Every\ntable: app.every\nstamp: hash\n' },
};

/** Items are sent, kept and answered as a column of their type is. */
export function arrayItems(served: Served): void {
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
}
