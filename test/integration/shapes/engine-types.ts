import type { Shape } from './engines.ts';

/** Types, what a body says of a value of theirs, and what is answered of it. */
export const itemTypes = [
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
CREATE TABLE app.every (id int PRIMARY KEY, mood app.mood, tags text[], span int4range, address inet, period interval,
  doc jsonb, text_doc text, short app.short, amount money, small real, big float8, at time(0), raw bytea);
CREATE TABLE app.net (address inet PRIMARY KEY, note text);
`,
  sqlserver: [],
  mappings: {
    every:
      'dataclass: Every\ntable: app.every\nstamp: hash\nattributes: { id: id, mood: mood, tags: tags, span: span, ' +
      'address: address, period: period, doc: doc, textDoc: { column: text_doc, type: object }, short: short, ' +
      'amount: amount, small: small, big: big, at: at, raw: raw }\n',
    net: 'dataclass: Net\ntable: app.net\nstamp: hash\n',
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
