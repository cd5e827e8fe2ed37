import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openSqlServer } from '../../src/database/sqlserver/open.ts';
import { DatabaseRefusal } from '../../src/database/errors.ts';
import { sqlServerTarget } from '../targets/sqlserver.ts';
import type { OpenTarget } from '../targets/target.ts';
import { change, command, query, transaction } from '../targets/sql.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';

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
      const [row] = (await database.run(echo, gatewayContext)).rows;
      expect(row?.[0] === text).toBe(true);
      expect(bytes.equals(row?.[1] as Buffer)).toBe(true);
      expect(row?.[2]).toSatisfy((length) => Number(length) === 0);
    });

    test('a call answers the rows of a procedure in the forms that columns have, and what is selected behind it', async () => {
      await change(
        database,
        `CREATE PROCEDURE "add up" @a int, @what nvarchar(max) OUTPUT AS
         BEGIN SELECT @a AS n, CAST(1.5 AS decimal(19, 4)) AS d, CAST('2024-02-29T12:00:00.123000' AS datetime2(7)) AS t,
             CAST('2024-02-29' AS date) AS day, CAST(9007199254740993 AS bigint) AS b, CAST(NULL AS int) AS nothing;
           SET @what = REPLICATE(CAST(N'é' AS nvarchar(max)), 5000); RETURN 7 END`,
      );
      const call = command(
        'DECLARE @r int; DECLARE @o nvarchar(max); EXEC @r = "dbo"."add up" @a = 40, @what = @o OUTPUT; SELECT @r, @o',
        'write',
      );
      const [rows, end] = await database.call(call, gatewayContext);
      expect(rows?.columns).toEqual(['n', 'd', 't', 'day', 'b', 'nothing']);
      expect(rows?.types?.map(({ kind }) => kind)).toEqual([
        ...['integer', 'decimal', 'timestamp', 'date', 'integer', 'integer'],
      ]);
      expect(rows?.rows).toEqual([
        [40, '1.5000', '2024-02-29T12:00:00.123000', '2024-02-29', '9007199254740993', null],
      ]);
      expect(end?.rows[0]?.[0]).toBe(7);
      expect(String(end?.rows[0]?.[1])).toHaveLength(5000);
    });

    test('a stream gives all rows in their order, and can be left', async () => {
      const numbers = command(
        'WITH d AS (SELECT n FROM (VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) v(n))' +
          ' SELECT a.n + 10 * b.n + 100 * c.n FROM d a, d b, d c ORDER BY 1',
      );
      const taken: unknown[] = [];
      for await (const batch of database.stream(numbers, gatewayContext)) {
        taken.push(...batch.map(([value]) => value));
      }
      expect(taken).toEqual(Array.from({ length: 1000 }, (_, index) => index));
      for await (const batch of database.stream(numbers, gatewayContext)) {
        expect(batch).toHaveLength(256);
        break;
      }
      expect(await query(database, 'SELECT 1')).toEqual([[1]]);
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
