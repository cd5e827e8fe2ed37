import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { NOBODY } from '../../src/base/principal.ts';
import type { PostgresConfig } from '../../src/config/config.ts';
import type { Database } from '../../src/database/database.ts';
import { openPostgres } from '../../src/database/postgres/open.ts';
import type { Parameter } from '../../src/sql/ir/ir.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import { retryingDeadlocks } from '../../src/database/connection.ts';
import { postgresTarget } from '../targets/postgres.ts';
import { change, command, query, transaction } from '../targets/sql.ts';
import type { OpenTarget } from '../targets/target.ts';

const missing = await postgresTarget.unavailable();

/** How many statements the server keeps that read the table, and the first and the last of their texts. */
const KEPT =
  'SELECT count(*), min(statement), max(statement) FROM pg_prepared_statements' +
  " WHERE statement LIKE '% FROM kept%' AND statement NOT LIKE '%pg_prepared%' AND statement LIKE 'SELECT%'";

describe.skipIf(missing !== null)(
  `statements that a PostgreSQL server keeps${missing === null ? '' : ` (${missing})`}`,
  () => {
    let opened: OpenTarget;
    let database: Database;
    beforeAll(async () => {
      opened = await postgresTarget.open();
    });
    afterEach(async () => {
      await database.close();
    });
    afterAll(async () => {
      await opened.close();
    });

    /** Opens a database of so many connections, with a table of two rows. */
    async function open(
      poolSize: number,
      preparedStatements = true,
      more: Partial<PostgresConfig> = {},
    ): Promise<void> {
      if (opened.database.engine !== 'postgres') throw new Error('not a PostgreSQL server');
      const config = { ...opened.database, poolSize, preparedStatements, ...more };
      database = await openPostgres(config, { timeZone: 'UTC', bigNumbersAsStrings: false });
      await change(database, 'DROP TABLE IF EXISTS kept');
      await change(database, 'CREATE TABLE kept AS SELECT n FROM generate_series(1, 2) n');
    }

    test('are as many as may be, those that were run last', async () => {
      await open(1);
      for (let n = 0; n < 300; n += 1) await query(database, `SELECT n FROM kept WHERE n > ${n}`);
      // The question is kept, too, in the place of the oldest one that was left.
      expect(await query(database, KEPT)).toEqual([
        ['256', 'SELECT n FROM kept WHERE n > 100', 'SELECT n FROM kept WHERE n > 99'],
      ]);
      expect(await query(database, KEPT)).toEqual([
        ['255', 'SELECT n FROM kept WHERE n > 100', 'SELECT n FROM kept WHERE n > 99'],
      ]);
    });

    test('are told who asks again behind a transaction that could not be committed', async () => {
      await open(1, true, { tellUser: true });
      await change(database, 'ALTER TABLE kept ADD UNIQUE (n) DEFERRABLE INITIALLY DEFERRED');
      const twice = transaction(database, (on) => change(on, 'INSERT INTO kept VALUES (1)'));
      await expect(twice).rejects.toThrow();
      const principal = { ...NOBODY, name: 'ada' };
      const asked = "SELECT current_setting('entitygate.user', true)";
      expect(await query(database, asked, { principal })).toEqual([['ada']]);
    });

    test('are planned once where all values are alike, and otherwise each time', async () => {
      await open(1);
      const type = { kind: 'integer', native: 'int4', bits: 32, signed: true } as const;
      const value: Parameter = {
        kind: 'parameter',
        source: { from: 'request', parameter: 0 },
        type,
        use: 'value',
        meets: 'n',
      };
      const one = command('SELECT n AS one FROM kept WHERE n = $1::int', 'read', [[value, '1']]);
      const few = command('SELECT n AS few FROM kept WHERE n > $1::int', 'read', [[value, '0']]);
      const keyed = { ...one, statement: { ...one.statement, findsOne: true as const } };
      for (let time = 0; time < 10; time += 1) {
        for (const asked of [keyed, few]) {
          await transaction(database, (connection) => connection.run(asked, gatewayContext));
        }
        // What is rolled back takes the session's setting back.
        const failing = transaction(database, async (connection) => {
          await connection.run(time % 2 === 0 ? keyed : few, gatewayContext);
          throw new Error('back');
        });
        await expect(failing).rejects.toThrow('back');
      }
      const counts =
        'SELECT substring(statement, 13, 3), generic_plans, custom_plans FROM pg_prepared_statements' +
        " WHERE statement LIKE '% FROM kept WHERE%' AND statement NOT LIKE '%pg_prepared%' ORDER BY 1";
      expect(await query(database, counts)).toEqual([
        ['few', '0', '15'],
        ['one', '10', '5'],
      ]);
    });

    test('answer other columns when a table has them', async () => {
      await open(2);
      const text = 'SELECT * FROM kept ORDER BY n';
      const both = (): Promise<unknown[]> =>
        Promise.all([1, 2].map(() => database.run(command(text), gatewayContext)));
      const [before] = await both();
      expect(before).toEqual({ columns: ['n'], rows: [['1'], ['2']] });
      await change(database, 'ALTER TABLE kept ADD COLUMN m text');
      const after = {
        columns: ['n', 'm'],
        rows: [
          ['1', null],
          ['2', null],
        ],
      };
      expect(await both()).toEqual([after, after]);
    });

    test('in a transaction, too, which is begun again', async () => {
      await open(1);
      const text = 'SELECT * FROM kept ORDER BY n';
      const read = (): Promise<unknown> =>
        retryingDeadlocks(() => transaction(database, (connection) => query(connection, text)));
      await read();
      await change(database, 'ALTER TABLE kept ALTER COLUMN n TYPE text');
      expect(await read()).toEqual([['1'], ['2']]);
    });
  },
);
