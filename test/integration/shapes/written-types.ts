import type { Shape } from './engines.ts';

/** Types that the sample database does not have. */
export const postgresTypes: Shape = {
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

/** Types of SQL Server's own. */
export const sqlServerTypes: Shape = {
  postgres: '',
  sqlserver: [
    'CREATE SCHEMA app',
    `CREATE TABLE app.every (id int NOT NULL PRIMARY KEY, doc xml NULL, variant sql_variant NULL, long text NULL,
      wide ntext NULL, amount money NULL, small smallmoney NULL, minute smalldatetime NULL, tick datetime NULL,
      real_no real NULL, float_no float NULL, at time(0) NULL, raw varbinary(8) NULL, narrow varchar(5) NULL)`,
  ],
  mappings: { every: 'dataclass: Every\ntable: app.every\nstamp: hash\n' },
};
