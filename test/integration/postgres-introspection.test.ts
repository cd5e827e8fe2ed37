import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openPglite } from '../../src/database/pglite/open.ts';
import type { Table } from '../../src/schema/types.ts';
import { change } from '../targets/sql.ts';

let database: Database;
let tables: ReadonlyMap<string, Table>;
beforeAll(async () => {
  database = await openPglite(
    { engine: 'pglite', statementTimeoutSeconds: 30, directory: 'memory:' },
    { timeZone: 'UTC', bigNumbersAsStrings: false },
  );
  for (const statement of schema) await change(database, statement);
  tables = new Map((await database.introspect()).tables.map((table) => [table.name, table]));
});
afterAll(() => database.close());

const trigger = (name: string, events: string, view: string): string =>
  `CREATE TRIGGER ${name} INSTEAD OF ${events} ON ${view} FOR EACH ROW EXECUTE FUNCTION nothing()`;

const schema = [
  `CREATE TABLE emp (id int PRIMARY KEY, qty int CONSTRAINT ck_qty CHECK (qty > 0), b int,
     CONSTRAINT ck_both CHECK (b > qty), CONSTRAINT ck_none CHECK (1 = 1))`,
  `CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
  `CREATE TRIGGER before BEFORE INSERT OR UPDATE ON emp FOR EACH ROW EXECUTE FUNCTION nothing()`,
  `CREATE TABLE log (id int PRIMARY KEY)`,
  `CREATE TRIGGER before BEFORE DELETE ON log FOR EACH ROW EXECUTE FUNCTION nothing()`,
  `CREATE TRIGGER after AFTER DELETE ON emp FOR EACH ROW EXECUTE FUNCTION nothing()`,
  `CREATE VIEW plain AS SELECT * FROM emp`,
  `CREATE VIEW triggered AS SELECT * FROM emp`,
  trigger('t1', 'DELETE', 'triggered'),
  trigger('t2', 'INSERT', 'triggered'),
  `CREATE VIEW ruled AS SELECT * FROM emp`,
  `CREATE RULE r1 AS ON UPDATE TO ruled DO INSTEAD UPDATE emp SET b = new.b WHERE id = old.id`,
  `CREATE RULE r2 AS ON DELETE TO ruled DO ALSO NOTHING`,
  `CREATE VIEW disabled AS SELECT * FROM emp`,
  trigger('t3', 'UPDATE', 'disabled'),
  `CREATE RULE r3 AS ON INSERT TO disabled DO INSTEAD NOTHING`,
  `UPDATE pg_trigger SET tgenabled = 'D' WHERE tgname = 't3'`,
  `UPDATE pg_rewrite SET ev_enabled = 'D' WHERE rulename = 'r3'`,
  `CREATE TYPE mood AS ENUM ('calm', 'angry')`,
  `CREATE MATERIALIZED VIEW filled AS SELECT id, 'calm'::mood AS mood FROM emp`,
  `CREATE VIEW counted AS SELECT b, count(*) AS n FROM emp GROUP BY b`,
  `CREATE VIEW aged AS SELECT id, b, extract(epoch FROM now())::int AS age FROM emp`,
  `CREATE VIEW aging AS SELECT * FROM aged`,
  trigger('t4', 'UPDATE OR DELETE', 'aging'),
  `CREATE MATERIALIZED VIEW unfilled AS SELECT id FROM emp WITH NO DATA`,
  `CREATE TABLE keyed (id int PRIMARY KEY, a int, b int)`,
  `CREATE INDEX ON keyed (a) WHERE b > 0`,
  `CREATE TABLE keyless (a int)`,
  `CREATE TABLE named (id int PRIMARY KEY, a int, b int, c int, UNIQUE (b) INCLUDE (c))`,
  `CREATE TABLE led (id int PRIMARY KEY, a int, b int REFERENCES keyed)`,
  `CREATE TABLE expressed (id int PRIMARY KEY, a text)`,
  `CREATE UNIQUE INDEX ON expressed (lower(a))`,
  `CREATE TABLE partly (id int PRIMARY KEY, a int, b int)`,
  `CREATE UNIQUE INDEX ON partly (a) WHERE b > 0`,
  `CREATE TABLE excluded (id int PRIMARY KEY, a int4range, b int, EXCLUDE USING gist (a WITH &&))`,
  `CREATE TABLE deferred (id int PRIMARY KEY DEFERRABLE, a int)`,
  `CREATE TABLE made (a int, id int GENERATED ALWAYS AS (a * 2) STORED PRIMARY KEY)`,
  `CREATE TABLE leads (id int PRIMARY KEY, a int, b int GENERATED ALWAYS AS (a * 2) STORED REFERENCES keyed)`,
  `CREATE TABLE unbuilt (id int PRIMARY KEY, a int)`,
  `CREATE UNIQUE INDEX unbuilt_a ON unbuilt (a)`,
  `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'unbuilt_a'::regclass`,
  `CREATE TABLE split (id int PRIMARY KEY) PARTITION BY RANGE (id)`,
  `CREATE TABLE half PARTITION OF split FOR VALUES FROM (0) TO (100)`,
  `CREATE TABLE referring (id int PRIMARY KEY, a int, b int REFERENCES split)`,
  `CREATE FUNCTION own(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1'`,
  `CREATE DOMAIN even AS int CHECK (own(VALUE) % 2 = 0)`,
  `CREATE TABLE checked (id int PRIMARY KEY, a int CHECK (own(a) > 0))`,
  `CREATE TABLE plainly (id int PRIMARY KEY, a int CHECK (abs(a) > 0), b int DEFAULT own(1))`,
  `CREATE TABLE evened (id int PRIMARY KEY, a even)`,
  `CREATE TABLE sorted (id int PRIMARY KEY, a int)`,
  `CREATE INDEX ON sorted (own(a))`,
  `CREATE TABLE policed (id int PRIMARY KEY, a int)`,
  `CREATE POLICY p ON policed USING (own(a) > 0)`,
  `COMMENT ON TABLE emp IS ' Who works here '`,
  `COMMENT ON COLUMN emp.qty IS 'How ''much'''`,
  `COMMENT ON COLUMN emp.b IS ' '`,
  `COMMENT ON CONSTRAINT ck_qty ON emp IS 'A check'`,
  `COMMENT ON VIEW plain IS 'A view'`,
  `COMMENT ON COLUMN plain.id IS 'Of the view'`,
  `CREATE TABLE derived (id int PRIMARY KEY, a int, b int GENERATED ALWAYS AS (own(a)) STORED)`,
];

test.each([
  ['keyed', undefined],
  ['keyless', undefined],
  ['named', ['id', 'b']],
  ['led', ['id', 'b']],
  ['expressed', ['id', 'a']],
  ['partly', ['id', 'a', 'b']],
  ['excluded', ['id', 'a', 'b']],
  ['deferred', ['id', 'a']],
  ['made', ['a', 'id']],
  ['leads', ['id', 'a', 'b']],
  ['unbuilt', ['id', 'a']],
  ['referring', ['id', 'b']],
  ['checked', ['id', 'a']],
  ['plainly', undefined],
  ['evened', ['id', 'a']],
  ['sorted', ['id', 'a']],
  ['policed', ['id', 'a']],
  ['derived', ['id', 'a', 'b']],
  ['plain', undefined],
])('what changes of a row may wait for: %s', (table, contended) => {
  expect(tables.get(table)?.contended).toEqual(contended);
});

test.each([
  ['emp', 'Who works here', [undefined, "How 'much'", undefined]],
  ['plain', 'A view', ['Of the view', undefined, undefined]],
  ['log', undefined, [undefined]],
])('comments are descriptions: %s', (name, description, columns) => {
  const table = tables.get(name);
  expect(table?.description).toBe(description);
  expect(table?.columns.map((column) => column.description)).toEqual(columns);
});

test('an index that is not valid is none', () => {
  expect(tables.get('unbuilt')?.indexes).toEqual([
    { name: 'unbuilt_pkey', unique: true, columns: ['id'] },
  ]);
});

test('a materialized view that was never filled is told of, one that was is not', () => {
  expect(tables.get('unfilled')?.notes).toEqual([
    'the materialized view was never filled and cannot be read before REFRESH MATERIALIZED VIEW fills it',
  ]);
  expect(tables.get('filled')).not.toHaveProperty('notes');
});

test('what a view that takes changes makes of others is computed, unless a trigger may take a value for it', () => {
  const computed = [...tables.values()].flatMap(({ name, columns }) =>
    columns.filter((column) => column.computed).map((column) => `${name}.${column.name}`),
  );
  expect(computed).toEqual(['aged.age', 'derived.b', 'leads.b', 'made.id']);
});

test('rows that SELECT … FOR UPDATE does not take are known', () => {
  const unlockable = [...tables.values()].filter((table) => table.unlockable === true);
  expect(unlockable.map(({ name }) => name)).toEqual(['counted', 'filled', 'unfilled']);
});

test.each([
  ['emp', undefined],
  ['plain', undefined],
  ['triggered', ['insert', 'delete']],
  ['ruled', ['update']],
  ['disabled', undefined],
])('the changes that triggers and rules of %s stand in for: %j', (name, instead) => {
  expect(tables.get(name)?.instead).toEqual(instead);
});

test('xmin is the version of rows for who may read the whole table', async () => {
  const versioned = async (): Promise<unknown> => {
    const { tables: found } = await database.introspect();
    return found
      .filter(({ name }) => name === 'emp' || name === 'plain')
      .map((table) => table.rowVersion);
  };
  expect(await versioned()).toEqual([{ kind: 'xmin' }, null]);
  await change(database, 'CREATE ROLE clerk');
  await change(database, 'GRANT SELECT (id, b) ON emp TO clerk');
  await change(database, 'SET ROLE clerk');
  try {
    expect(await versioned()).toEqual([null]);
  } finally {
    await change(database, 'RESET ROLE');
  }
});
