import type { Shape } from './engines.ts';

/** Tables whose rows can be changed by one statement, and some for which something stands against it. */
export const shape: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TABLE app.plain (id int PRIMARY KEY, name varchar(5) NOT NULL, code varchar(5) UNIQUE,
  price numeric(6,2), day date, flag boolean, note char(5), coded varchar(5), up int REFERENCES app.plain, ver int);
INSERT INTO app.plain SELECT n, 'n' || n, 'c' || n, n, '2024-01-01', true, 'x', null, null, 1 FROM generate_series(1, 9) n;
CREATE TABLE app.counted (id int PRIMARY KEY, code varchar(9) CONSTRAINT counted_code UNIQUE, price numeric(6,2), ver int);
INSERT INTO app.counted SELECT n, 'c' || n, n, 1 FROM generate_series(1, 20) n;
CREATE TABLE app.unversioned (id uuid PRIMARY KEY, name text);
INSERT INTO app.unversioned VALUES ('00000000-0000-0000-0000-00000000000a', 'a');
CREATE TABLE app.heard (id int PRIMARY KEY, name text, total int, ver int);
INSERT INTO app.heard VALUES (1, 'a', 0, 1);
CREATE TABLE app.late (id int PRIMARY KEY, name text, price money, ver int);
INSERT INTO app.late VALUES (1, 'a', 1.5, 1);
CREATE FUNCTION app.hear() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN UPDATE app.heard SET total = total + 1 WHERE id = new.id AND pg_trigger_depth() = 1; RETURN NULL; END';
CREATE TRIGGER hear AFTER UPDATE ON app.heard FOR EACH ROW EXECUTE FUNCTION app.hear();
CREATE TABLE app.parted (id int PRIMARY KEY, name text) PARTITION BY RANGE (id);
CREATE TABLE app.parted_all PARTITION OF app.parted FOR VALUES FROM (0) TO (1000);
CREATE TABLE app.partly (id int PRIMARY KEY, name text, kind text, ver int);
INSERT INTO app.partly VALUES (1, 'a', 'mine', 1), (2, 'b', 'other', 1);`,
  sqlserver: [
    'CREATE SCHEMA app',
    `CREATE TABLE app.plain (id int PRIMARY KEY, name nvarchar(5) NOT NULL, code nvarchar(5) NULL CONSTRAINT uq_code UNIQUE,
       price numeric(6,2) NULL, day date NULL, flag bit NULL, note nchar(5) NULL,
       coded varchar(5) NULL, up int NULL CONSTRAINT plain_up_fkey REFERENCES app.plain, ver int NULL)`,
    ...Array.from(
      { length: 9 },
      (_, at) =>
        `INSERT INTO app.plain VALUES (${at + 1}, 'n${at + 1}', 'c${at + 1}', ${at + 1}, '2024-01-01', 1, 'x', NULL, NULL, 1)`,
    ),
    'CREATE TABLE app.counted (id int PRIMARY KEY, code nvarchar(9) NULL CONSTRAINT counted_code UNIQUE, price numeric(6,2) NULL, ver int NULL)',
    ...Array.from(
      { length: 20 },
      (_, at) => `INSERT INTO app.counted VALUES (${at + 1}, 'c${at + 1}', ${at + 1}, 1)`,
    ),
    'CREATE TABLE app.unversioned (id uniqueidentifier PRIMARY KEY, name nvarchar(20) NULL, ver rowversion)',
    "INSERT INTO app.unversioned (id, name) VALUES ('00000000-0000-0000-0000-00000000000a', 'a')",
    'CREATE TABLE app.heard (id int PRIMARY KEY, name nvarchar(20) NULL, total int NULL, ver int NULL)',
    "INSERT INTO app.heard VALUES (1, 'a', 0, 1)",
    'CREATE TABLE app.late (id int PRIMARY KEY, name nvarchar(20) NULL, price money NULL, ver int NULL)',
    "INSERT INTO app.late VALUES (1, 'a', 1.5, 1)",
    `CREATE TRIGGER app.hear ON app.heard AFTER UPDATE AS
       IF TRIGGER_NESTLEVEL() = 1 UPDATE app.heard SET total = total + 1 WHERE id IN (SELECT id FROM inserted)`,
    'CREATE TABLE app.parted (id int PRIMARY KEY, name nvarchar(20) NULL, ver rowversion)',
    'CREATE TABLE app.partly (id int PRIMARY KEY, name nvarchar(20) NULL, kind nvarchar(20) NULL, ver int NULL)',
    "INSERT INTO app.partly VALUES (1, 'a', 'mine', 1), (2, 'b', 'other', 1)",
  ],
  mappings: {
    plain: `
dataclass: Plain
table: app.plain
stamp: { counter: ver }
relations: { parent: { to: Plain, foreignKey: plain_up_fkey } }
`,
    counted: 'dataclass: Counted\ntable: app.counted\nstamp: { counter: ver }\n',
    unversioned:
      'dataclass: Unversioned\ntable: app.unversioned\nattributes: { id: id, name: name }\n',
    heard: 'dataclass: Heard\ntable: app.heard\nstamp: { counter: ver }\n',
    parted: 'dataclass: Parted\ntable: app.parted\nattributes: { id: id, name: name }\n',
    late: 'dataclass: Late\ntable: app.late\nstamp: { counter: ver }\n',
    some: `
dataclass: Some
table: app.partly
stamp: { counter: ver }
where: 'kind = mine'
`,
  },
};
