import { loadConfig } from '../../../src/config/load.ts';
import { COUNTED, type Shape } from './engines.ts';

/** Keys as legacy schemas have them: made up by the database in many ways, or given by the client. */
export const shape: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TABLE app.always (id int GENERATED ALWAYS AS IDENTITY (START 10) PRIMARY KEY, name varchar(20) UNIQUE);
CREATE TABLE app.countdown (id bigint GENERATED ALWAYS AS IDENTITY (START -5 INCREMENT -5) PRIMARY KEY, name varchar(20));
CREATE TABLE app.serial (id serial PRIMARY KEY, name varchar(20));
CREATE SEQUENCE app.codes;
CREATE FUNCTION app.next_code() RETURNS varchar LANGUAGE sql AS $$ SELECT 'C-' || nextval('app.codes') $$;
CREATE TABLE app.coded (code varchar(60) DEFAULT app.next_code() PRIMARY KEY, name varchar(20));
CREATE TABLE app.guid (id uuid DEFAULT gen_random_uuid() PRIMARY KEY, name varchar(20));
CREATE TABLE app.sequel (id uuid DEFAULT gen_random_uuid() PRIMARY KEY, name varchar(20));
CREATE TABLE app.moment (at timestamp(3) PRIMARY KEY, name varchar(20));
CREATE TABLE app.amount (amount decimal(20, 4) PRIMARY KEY, name varchar(20));
CREATE TABLE app.padded (code char(4) PRIMARY KEY, name varchar(20));
CREATE TABLE app.regional (region int NOT NULL, no int GENERATED ALWAYS AS IDENTITY, name varchar(20), PRIMARY KEY (region, no));
CREATE TABLE app.stock (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, state varchar(10) DEFAULT 'new', amount int NOT NULL DEFAULT 7);
CREATE TABLE app.log (at date NOT NULL, line varchar(20));
CREATE TABLE app."o]d ""d" ("i d" int PRIMARY KEY, "it's" varchar(20), "a]b" int);
CREATE TABLE app.k (o int PRIMARY KEY, k0 varchar(20), c0 varchar(20), k int);
CREATE TABLE app.cased (id int PRIMARY KEY, name varchar(20) NOT NULL UNIQUE, n int);
INSERT INTO app.cased VALUES (3, 'ada', 0), (1, 'ADA', 0), (2, 'Ada', 0);
`,
  sqlserver: [
    'CREATE SCHEMA app',
    'CREATE TABLE app.always (id int IDENTITY(10, 1) NOT NULL PRIMARY KEY, name varchar(20) NULL)',
    'CREATE UNIQUE INDEX UX_ALWAYS ON app.always (name) WHERE name IS NOT NULL',
    'CREATE TABLE app.countdown (id bigint IDENTITY(-5, -5) NOT NULL PRIMARY KEY, name varchar(20) NULL)',
    'CREATE SEQUENCE app.numbers AS int START WITH 1',
    'CREATE TABLE app.serial (id int NOT NULL DEFAULT (NEXT VALUE FOR app.numbers) PRIMARY KEY, name varchar(20) NULL)',
    "CREATE TABLE app.coded (code varchar(60) NOT NULL DEFAULT ('C-' + CONVERT(varchar(36), NEWID())) PRIMARY KEY, name varchar(20) NULL)",
    'CREATE TABLE app.guid (id uniqueidentifier NOT NULL DEFAULT NEWID() PRIMARY KEY, name varchar(20) NULL)',
    'CREATE TABLE app.sequel (id uniqueidentifier NOT NULL DEFAULT NEWSEQUENTIALID() PRIMARY KEY, name varchar(20) NULL)',
    'CREATE TABLE app.moment (at datetime NOT NULL PRIMARY KEY, name varchar(20) NULL)',
    'CREATE TABLE app.amount (amount decimal(20, 4) NOT NULL PRIMARY KEY, name varchar(20) NULL)',
    'CREATE TABLE app.padded (code char(4) NOT NULL PRIMARY KEY, name varchar(20) NULL)',
    'CREATE TABLE app.regional (region int NOT NULL, no int IDENTITY NOT NULL, name varchar(20) NULL, PRIMARY KEY (region, no))',
    "CREATE TABLE app.stock (id int IDENTITY NOT NULL PRIMARY KEY, state varchar(10) NULL DEFAULT 'new', amount int NOT NULL DEFAULT 7)",
    'CREATE TABLE app.log (at date NOT NULL, line varchar(20) NULL)',
    'CREATE TABLE app."o]d ""d" ("i d" int NOT NULL PRIMARY KEY, "it\'s" varchar(20) NULL, "a]b" int NULL)',
    'CREATE TABLE app.k (o int NOT NULL PRIMARY KEY, k0 varchar(20) NULL, c0 varchar(20) NULL, k int NULL)',
    'CREATE TABLE app.cased (id int NOT NULL PRIMARY KEY, name varchar(20) COLLATE Latin1_General_CS_AS NOT NULL UNIQUE, n int NULL)',
    "INSERT INTO app.cased VALUES (3, 'ada', 0), (1, 'ADA', 0), (2, 'Ada', 0)",
  ],
  mappings: {
    always: 'dataclass: Always\ntable: app.always\nstamp: hash\n',
    countdown: 'dataclass: Countdown\ntable: app.countdown\nstamp: hash\n',
    serial: 'dataclass: Serial\ntable: app.serial\nstamp: hash\n',
    coded: 'dataclass: Coded\ntable: app.coded\nstamp: hash\n',
    guid: 'dataclass: Guid\ntable: app.guid\nstamp: hash\n',
    sequel: 'dataclass: Sequel\ntable: app.sequel\nstamp: hash\n',
    moment: 'dataclass: Moment\ntable: app.moment\nstamp: hash\n',
    amount: 'dataclass: Amount\ntable: app.amount\nstamp: hash\n',
    padded: 'dataclass: Padded\ntable: app.padded\nstamp: hash\n',
    regional: 'dataclass: Regional\ntable: app.regional\nstamp: hash\n',
    stock: 'dataclass: Stock\ntable: app.stock\nstamp: hash\n',
    log: 'dataclass: Log\ntable: app.log\nstamp: hash\n',
    odd: `dataclass: Odd\ntable: { schema: app, name: 'o]d "d' }\nstamp: hash\nattributes: { ID: i d, its: "it's", aB: 'a]b' }\n`,
    k: 'dataclass: K\ntable: app.k\nstamp: hash\n',
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
