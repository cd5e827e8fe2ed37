import { loadConfig } from '../../../src/config/load.ts';
import { COUNTED, mappedAlike, type Shape } from './engines.ts';
import { inBothLanguages } from './languages.ts';

const tables = inBothLanguages(
  [
    'CREATE TABLE app.always (id int FROM_TEN NOT NULL PRIMARY KEY, name UNIQUE_NAME)',
    'CREATE TABLE app.countdown (id bigint COUNT_DOWN NOT NULL PRIMARY KEY, name varchar(20) NULL)',
    'CREATE TABLE app.guid (id UUID_TYPE NOT NULL DEFAULT NEW_GUID PRIMARY KEY, name varchar(20) NULL)',
    'CREATE TABLE app.sequel (id UUID_TYPE NOT NULL DEFAULT NEXT_GUID PRIMARY KEY, name varchar(20) NULL)',
    'CREATE TABLE app.moment (at TIME_TYPE NOT NULL PRIMARY KEY, name varchar(20) NULL)',
    'CREATE TABLE app.amount (amount decimal(20, 4) NOT NULL PRIMARY KEY, name varchar(20) NULL)',
    'CREATE TABLE app.padded (code char(4) NOT NULL PRIMARY KEY, name varchar(20) NULL)',
    'CREATE TABLE app.regional (region int NOT NULL, no int COUNT_UP NOT NULL, name varchar(20) NULL, PRIMARY KEY (region, no))',
    "CREATE TABLE app.stock (id int COUNT_UP NOT NULL PRIMARY KEY, state varchar(10) NULL DEFAULT 'new', amount int NOT NULL DEFAULT 7)",
    'CREATE TABLE app.log (at date NOT NULL, line varchar(20) NULL)',
    'CREATE TABLE app."o]d ""d" ("i d" int NOT NULL PRIMARY KEY, "it\'s" varchar(20) NULL, "a]b" int NULL)',
    'CREATE TABLE app.k (o int NOT NULL PRIMARY KEY, k0 varchar(20) NULL, c0 varchar(20) NULL, k int NULL)',
    'CREATE TABLE app.cased (id int NOT NULL PRIMARY KEY, name CASED_NAME NOT NULL UNIQUE, n int NULL)',
    "INSERT INTO app.cased VALUES (3, 'ada', 0), (1, 'ADA', 0), (2, 'Ada', 0)",
  ],
  {
    FROM_TEN: ['GENERATED ALWAYS AS IDENTITY (START 10)', 'IDENTITY(10, 1)'],
    COUNT_DOWN: ['GENERATED ALWAYS AS IDENTITY (START -5 INCREMENT -5)', 'IDENTITY(-5, -5)'],
    COUNT_UP: ['GENERATED ALWAYS AS IDENTITY', 'IDENTITY'],
    // SQL Server takes one null where values are unique, unless an index leaves nulls out.
    UNIQUE_NAME: ['varchar(20) UNIQUE', 'varchar(20) NULL'],
    NEW_GUID: ['gen_random_uuid()', 'NEWID()'],
    NEXT_GUID: ['gen_random_uuid()', 'NEWSEQUENTIALID()'],
    TIME_TYPE: ['timestamp(3)', 'datetime'],
    CASED_NAME: ['varchar(20)', 'varchar(20) COLLATE Latin1_General_CS_AS'],
  },
);

/** Keys as legacy schemas have them: made up by the database in many ways, or given by the client. */
export const shape: Shape = {
  postgres: `${tables.postgres};
CREATE TABLE app.serial (id serial PRIMARY KEY, name varchar(20));
CREATE SEQUENCE app.codes;
CREATE FUNCTION app.next_code() RETURNS varchar LANGUAGE sql AS $$ SELECT 'C-' || nextval('app.codes') $$;
CREATE TABLE app.coded (code varchar(60) DEFAULT app.next_code() PRIMARY KEY, name varchar(20));`,
  sqlserver: [
    ...tables.sqlserver,
    'CREATE UNIQUE INDEX UX_ALWAYS ON app.always (name) WHERE name IS NOT NULL',
    'CREATE SEQUENCE app.numbers AS int START WITH 1',
    'CREATE TABLE app.serial (id int NOT NULL DEFAULT (NEXT VALUE FOR app.numbers) PRIMARY KEY, name varchar(20) NULL)',
    "CREATE TABLE app.coded (code varchar(60) NOT NULL DEFAULT ('C-' + CONVERT(varchar(36), NEWID())) PRIMARY KEY, name varchar(20) NULL)",
  ],
  mappings: {
    ...mappedAlike(
      'Always Countdown Serial Coded Guid Sequel Moment Amount Padded Regional Stock Log K',
      { stamp: 'hash' },
    ),
    odd: `dataclass: Odd\ntable: { schema: app, name: 'o]d "d' }\nstamp: hash\nattributes: { ID: i d, its: "it's", aB: 'a]b' }\n`,
    cased:
      'dataclass: Cased\ntable: app.cased\nstamp: hash\nrequireStamp: false\nattributes: { id: id, name: { column: name, ignoreCase: true }, n: n }\n',
  },
  verbs: { COUNTED },
};

const { server } = await loadConfig('config.yaml', {});

/** A gateway that answers new entities with 201, and where they are. */
export const located: Shape = {
  ...shape,
  settings: { server: { ...server, createdStatus: 201 } },
};
