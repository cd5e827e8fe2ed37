import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import type { Connection, Database } from '../../src/database/database.ts';
import { openPglite } from '../../src/database/pglite/open.ts';
import { DatabaseRefusal, type Violation } from '../../src/database/errors.ts';
import { parsed, rows } from '../rows.ts';
import { change, query, transaction } from '../targets/sql.ts';

let database: Database;
beforeAll(async () => {
  database = await openPglite(
    { engine: 'pglite', statementTimeoutSeconds: 30, directory: 'memory:' },
    { timeZone: 'UTC', bigNumbersAsStrings: false },
  );
  for (const statement of schema) await change(database, statement);
});
afterAll(() => database.close());

const schema = [
  `CREATE TABLE cmp (id int CONSTRAINT cmp_pk PRIMARY KEY)`,
  `CREATE TABLE emp (
     id int CONSTRAINT emp_pk PRIMARY KEY,
     name varchar(5) NOT NULL DEFAULT '',
     age smallint CONSTRAINT emp_age CHECK (age > 0),
     cmp int CONSTRAINT emp_cmp REFERENCES cmp DEFERRABLE,
     born date,
     no int GENERATED ALWAYS AS IDENTITY,
     twice int GENERATED ALWAYS AS (id * 2) STORED)`,
  `CREATE VIEW ages AS SELECT age, count(*) AS n FROM emp GROUP BY age`,
  `CREATE VIEW doubled AS SELECT id, age * 2 AS age FROM emp`,
  `CREATE VIEW adults AS SELECT * FROM emp WHERE age > 18 WITH CHECK OPTION`,
  `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     IF NEW.id = 91 THEN RAISE 'The period is closed, and terminated'; END IF;
     IF NEW.id = 92 THEN RAISE 'No "name" given' USING ERRCODE = 'not_null_violation', COLUMN = 'name'; END IF;
     IF NEW.id = 93 THEN RAISE 'Come back' USING ERRCODE = '08006'; END IF;
     RETURN NEW; END $$`,
  `CREATE TRIGGER refuse BEFORE INSERT ON emp FOR EACH ROW EXECUTE FUNCTION refuse()`,
  `CREATE MATERIALIZED VIEW mat AS SELECT 1 AS id`,
  `CREATE ROLE guest`,
];

async function refusal(work: Promise<unknown>): Promise<Violation> {
  const error: unknown = await work.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DatabaseRefusal)) throw error;
  return error.violation;
}

const FK = `{rule: constraint, names: [emp_cmp, emp], table: {schema: public, name: emp}, detail: 'Key (cmp)=(7) is not present in table "cmp".'}`;

describe('what PostgreSQL says of a refused change', () => {
  test.each(rows`
    INSERT INTO cmp VALUES (1), (1)
      | {rule: unique, names: [cmp_pk, cmp], table: {schema: public, name: cmp}, detail: Key (id)=(1) already exists.}
    INSERT INTO emp VALUES (1, '', 1, 7) | ${FK}
    INSERT INTO emp VALUES (1, '', 0) | {rule: constraint, names: [emp_age, emp], table: {schema: public, name: emp}}
    INSERT INTO adults VALUES (1, '', 7) | {rule: constraint, names: []}
    INSERT INTO emp VALUES (1, null) | {rule: notNull, names: [name, emp], table: {schema: public, name: emp}}
    INSERT INTO emp VALUES (1, 'abcdef') | {rule: tooLong, names: []}
    INSERT INTO emp VALUES (1, '', 99999) | {rule: outOfRange, names: []}
    INSERT INTO emp VALUES ('name', '') | {rule: badValue, names: []}
    INSERT INTO emp (id, born) VALUES (1, '2024-02-30') | {rule: badValue, names: []}
    INSERT INTO emp (id, no) VALUES (1, 1) | {rule: generated, names: [no], ofStatement: true}
    INSERT INTO emp (id, twice) VALUES (1, 1) | {rule: generated, names: [twice], ofStatement: true}
    DELETE FROM ages | {rule: notUpdatable, names: [ages], ofStatement: true}
    INSERT INTO doubled VALUES (1, 1) | {rule: notUpdatable, names: [age, doubled], ofStatement: true}
    DELETE FROM mat | {rule: notUpdatable, names: [mat], ofStatement: true}
    INSERT INTO emp VALUES (91) | {rule: raised, names: [], text: 'The period is closed, and terminated'}
    INSERT INTO emp VALUES (92) | {rule: raised, names: [name], text: No "name" given}
    INSERT INTO emp VALUES (93) | {rule: raised, names: [], text: Come back}
    INSERT INTO cmp SELECT upper(int4range('[5,1)')) | {rule: badValue, names: []}
    INSERT INTO nowhere VALUES (1) | {rule: outdated, names: [], ofStatement: true}
  `)('%s', async (statement = '', violation = '') => {
    expect(await refusal(change(database, statement))).toEqual(parsed(violation));
    const work = transaction(database, (on) => change(on, statement));
    expect(await refusal(work)).toEqual(parsed(violation));
  });

  test('a right that is missing', async () => {
    const work = transaction(database, async (on) => {
      await change(on, 'SET LOCAL ROLE guest');
      return change(on, 'DELETE FROM cmp');
    });
    expect((await refusal(work)).rule).toBe('notAllowed');
  });

  test('a constraint that is deferred refuses the commit', async () => {
    const work = transaction(database, async (on) => {
      await change(on, 'SET CONSTRAINTS ALL DEFERRED');
      await change(on, `INSERT INTO emp VALUES (1, '', 1, 7)`);
    });
    expect(await refusal(work)).toEqual(parsed(FK));
    expect(await query(database, 'SELECT id FROM emp')).toEqual([]);
  });

  test('a read is told only what is of its statement', async () => {
    const read = query(database, 'SELECT * FROM nowhere');
    const violation = { rule: 'outdated', names: [], ofStatement: true };
    await expect(read).rejects.toMatchObject({ errorName: 'schemaChanged', violation });
    const broken = query(database, "SELECT 'x'::int");
    await expect(broken).rejects.toThrow(ProtocolError);
    await expect(broken).rejects.not.toThrow(DatabaseRefusal);
  });
});

describe('a transaction', () => {
  const ids = async (session: Connection = database): Promise<unknown[]> =>
    (await query(session, 'SELECT id FROM cmp ORDER BY id')).map(([id]) => id);

  test('is seen by others when it is committed, and not before', async () => {
    const order: string[] = [];
    let read: Promise<unknown[]> | undefined;
    const result = await transaction(database, async (session) => {
      await change(session, 'INSERT INTO cmp VALUES (10)');
      read = ids().finally(() => order.push('read'));
      expect(await ids(session)).toEqual(['10']);
      await change(session, 'INSERT INTO cmp VALUES (11)');
      order.push('end');
      return 'done';
    });
    expect(result).toBe('done');
    expect(await read).toEqual(['10', '11']);
    expect(order).toEqual(['end', 'read']);
  });

  test('fails by a statement that failed, even where the work passes over it', async () => {
    const before = await ids();
    const work = transaction(database, async (on) => {
      await change(on, 'INSERT INTO cmp VALUES (20)');
      await change(on, 'INSERT INTO cmp VALUES (20)').catch(() => undefined);
      await change(on, 'INSERT INTO cmp VALUES (21)').catch(() => undefined);
    });
    expect((await refusal(work)).rule).toBe('unique');
    expect(await ids()).toEqual(before);
  });

  test('waits for statements that the work does not wait for', async () => {
    const before = await ids();
    const work = transaction(database, async (on) => {
      const both = [change(on, 'INSERT INTO cmp VALUES (30)'), change(on, 'SELECT pg_sleep(0.05)')];
      await Promise.race([...both, Promise.resolve()]);
      throw new RangeError('too early');
    });
    await expect(work).rejects.toThrow(RangeError);
    expect(await ids()).toEqual(before);
  });

  test('serves nobody when it is over', async () => {
    let kept: Connection | undefined;
    await transaction(database, (session) => {
      kept = session;
      return Promise.resolve();
    });
    await expect(
      kept === undefined ? null : change(kept, 'INSERT INTO cmp VALUES (40)'),
    ).rejects.toThrow('over');
  });
});

test('a change on a database that is closed is certain not to be made', async () => {
  const other = await openPglite(
    { engine: 'pglite', statementTimeoutSeconds: 30, directory: 'memory:' },
    { timeZone: 'UTC', bigNumbersAsStrings: false },
  );
  await other.close();
  for (const work of [
    change(other, 'SELECT 1'),
    transaction(other, (on) => change(on, 'SELECT 1')),
  ]) {
    await expect(work).rejects.toMatchObject({ errorName: 'databaseUnavailable' });
  }
});
