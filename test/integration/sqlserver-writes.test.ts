import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openSqlServer } from '../../src/database/sqlserver/open.ts';
import { DatabaseRefusal } from '../../src/database/violation.ts';
import { sqlServerTarget } from '../targets/sqlserver.ts';
import type { OpenTarget } from '../targets/target.ts';
import { change, command, query, transaction } from '../targets/sql.ts';
import { unattended } from '../../src/observe/observer.ts';

const missing = await sqlServerTarget.unavailable();

describe.skipIf(missing !== null)(
  `writes on a SQL Server${missing === null ? '' : ` (${missing})`}`,
  () => {
    let opened: OpenTarget;
    let database: Database;
    beforeAll(async () => {
      opened = await sqlServerTarget.open();
      if (opened.database.engine !== 'sqlserver') throw new Error('not a SQL Server');
      database = await openSqlServer(
        { ...opened.database, poolSize: 2 },
        { timeZone: 'UTC', bigNumbersAsStrings: false },
      );
      const statements = [
        'CREATE TABLE num (id int IDENTITY CONSTRAINT pk_num PRIMARY KEY, n int CONSTRAINT ck_num CHECK (n >= 0), bytes varbinary(max))',
        'CREATE VIEW v_num AS SELECT id, n FROM num',
        'CREATE TRIGGER t_num ON v_num INSTEAD OF INSERT AS BEGIN SELECT 1 END',
      ];
      for (const statement of statements) await query(database, statement);
    });
    afterAll(async () => {
      await database.close();
      await opened.close();
    });

    const count = async (): Promise<number> =>
      Number((await query(database, 'SELECT COUNT(*) FROM num'))[0]?.[0]);

    test('a batch answers the keys that the database made up', async () => {
      const insert = `SET NOCOUNT ON; DECLARE @k TABLE (id int);
        INSERT INTO num (n) OUTPUT inserted.id INTO @k VALUES (1); SELECT id FROM @k`;
      const [first] = await change(database, insert);
      const [second] = await change(database, insert);
      expect(Number(second?.[0])).toBe(Number(first?.[0]) + 1);
    });

    test('rows of any length, and content of any bytes', async () => {
      const text = JSON.stringify([['0', 'é€😀'.repeat(5000)]]);
      const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, index) => index % 256));
      const echo = command('SELECT CAST(@p1 AS nvarchar(max)), @p2, DATALENGTH(@p3)', 'write', [
        [{ kind: 'rows', types: [] }, text],
        [{ kind: 'bytes', index: 0 }, bytes],
        [{ kind: 'bytes', index: 1 }, new Uint8Array(0)],
      ]);
      const [row] = (await database.run(echo, unattended)).rows;
      expect(row?.[0] === text).toBe(true);
      expect(bytes.equals(row?.[1] as Buffer)).toBe(true);
      expect(row?.[2]).toSatisfy((length) => Number(length) === 0);
    });

    test('a transaction is committed, or rolled back', async () => {
      const before = await count();
      await transaction(database, async (on) => {
        await Promise.all([1, 2].map((n) => change(on, `INSERT INTO num (n) VALUES (${n})`)));
      });
      expect(await count()).toBe(before + 2);
      const work = transaction(database, async (on) => {
        await change(on, 'DELETE FROM num');
        expect(Number((await query(on, 'SELECT COUNT(*) FROM num'))[0]?.[0])).toBe(0);
        await change(on, 'INSERT INTO num (n) VALUES (-1)');
      });
      await expect(work).rejects.toThrow(DatabaseRefusal);
      expect(await count()).toBe(before + 2);
    });

    test('checks, and what triggers stand in for, are found', async () => {
      await change(database, 'CREATE TABLE plain (a int)');
      const { tables } = await database.introspect();
      const table = tables.find(({ name }) => name === 'num');
      expect(table?.checks).toEqual([{ name: 'ck_num', columns: ['n'] }]);
      expect(tables.find(({ name }) => name === 'v_num')?.instead).toEqual(['insert']);
      const plain = tables.find(({ name }) => name === 'plain');
      expect(plain).not.toHaveProperty('checks');
      expect(plain).not.toHaveProperty('instead');
    });
  },
);
