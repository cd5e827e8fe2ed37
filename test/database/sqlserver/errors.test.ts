import { afterEach, describe, expect, test } from 'vitest';
import { RequestFailure } from '../../../src/database/sqlserver/new-connection.ts';
import { sqlServerViolation } from '../../../src/database/sqlserver/errors.ts';
import { parsed, rows } from '../../rows.ts';
import { DatabaseRefusal } from '../../../src/database/errors.ts';
import { query } from '../../targets/sql.ts';
import { closeAll, failure, insert, insertInTransaction, open, stillWorks } from './scripted.ts';
import type { TdsError } from './tds-endpoint.ts';

/** The failure of a request that the server met with errors, in their order. */
function thrown(...errors: readonly [number: number, message: string][]): Error {
  return thrownIn('', ...errors);
}

/** The same of one that came up in a procedure or trigger. */
function thrownIn(
  procName: string,
  ...errors: readonly [number: number, message: string][]
): RequestFailure {
  const messages = errors.map(([number, message]) => ({ number, message, class: 14, procName }));
  return new RequestFailure(messages, new Error('as the driver says it'));
}

/** Rules that speak of the statement, whatever rows it is given. */
const ofStatements = ['generated', 'notUpdatable', 'notAllowed', 'outdated'];

describe('what SQL Server says of a refused change', () => {
  test.each(rows`
    2627  | Violation of PRIMARY KEY constraint 'PK_EMP'. Cannot insert duplicate key in object 'HR.EMP'. The duplicate key value is (O'Neill, 'x'). | unique       | PK_EMP | HR.EMP
    2601
      | Eine Zeile mit doppeltem Schlüssel kann in das Objekt "HR.EMP" mit dem eindeutigen Index "UX_MAIL" nicht eingefügt werden. Der doppelte Schlüsselwert ist (a).
      | unique | HR.EMP | UX_MAIL
    2627  | Violation de la contrainte « UNIQUE KEY » de « UQ_EMP ». Impossible d'insérer une clé en double dans l'objet « HR.EMP ». | unique       | UNIQUE KEY | UQ_EMP | HR.EMP
    547
      | The INSERT statement conflicted with the FOREIGN KEY constraint "FK_EMP_CMP". The conflict occurred in database "ERP", table "SALES.CMP", column 'CMP_ID'.
      | constraint | FK_EMP_CMP | ERP | SALES.CMP | CMP_ID
    515   | Cannot insert the value NULL into column 'NM', table 'ERP.HR.EMP'; column does not allow nulls. INSERT fails. | notNull      | NM | ERP.HR.EMP
    8152  | String or binary data would be truncated. | tooLong
    2628  | String or binary data would be truncated in table 'ERP.HR.EMP', column 'NM'. Truncated value: 'a 'b''. | tooLong      | ERP.HR.EMP | NM
    220   | Arithmetic overflow error for data type tinyint, value = 256. | outOfRange
    8115  | Arithmetic overflow error converting numeric to numeric. | outOfRange
    8115  | Arithmetic overflow error converting IDENTITY to data type int. | exhausted
    245   | Conversion failed when converting the varchar value 'NM' to data type int. | badValue
    9402  | XML parsing: line 1, character 38, unable to switch the encoding | badValue
    9465  | XML parsing: line 1, character 9, expected "CDATA[" | badValue
    8114  | Error converting data type nvarchar to numeric. | badValue
    544   | Cannot insert explicit value for identity column in table 'EMP' when IDENTITY_INSERT is set to OFF. | generated    | EMP
    271   | The column "TOTAL" cannot be modified because it is either a computed column or is the result of a UNION operator. | generated    | TOTAL
    4405  | View or function 'V_EMP' is not updatable because the modification affects multiple base tables. | notUpdatable | V_EMP
    229   | The INSERT permission was denied on the object 'EMP', database 'ERP', schema 'HR'. | notAllowed   | EMP | ERP | HR
    # learn: use-sparse-columns, use-column-sets
    360   | The target column list cannot contain both a sparse column and … | notUpdatable
    # learn: output-clause-transact-sql
    4186  | Column 'inserted.X' cannot be referenced in the OUTPUT clause … | notUpdatable | inserted.X
    # learn: temporal-table-considerations-and-limitations
    13559 | Cannot insert rows in a temporal history table 'ERP.HR.EMP_OLD'. | notUpdatable | ERP.HR.EMP_OLD
    13560 | Cannot delete rows from a temporal history table 'ERP.HR.EMP_OLD'. | notUpdatable | ERP.HR.EMP_OLD
    13561 | Cannot update rows in a temporal history table 'ERP.HR.EMP_OLD'. | notUpdatable | ERP.HR.EMP_OLD
    # learn: the geometry and hierarchyid types' Parse methods
    6522  | A .NET Framework error occurred during execution of user-defined routine "geometry". | badValue
    # learn: compare-typed-xml-to-untyped-xml
    6900  | XML Validation: first. | badValue
    6926  | XML Validation: Invalid simple type value: 'x'. | badValue
    6999  | XML Validation: last. | badValue
    # learn: maximum-capacity-specifications-for-sql-server
    511   | Cannot create a row of size 8074 which is greater than 8060. | tooLong
    1946  | The index entry of length 2000 bytes for the index 'IX_NOTE' exceeds 1700 bytes. | tooLong      | IX_NOTE
    # learn: database-engine-events-and-errors
    206   | Operand type clash: int is incompatible with date | outdated
    207   | Invalid column name 'GRADE'. | outdated     | GRADE
    208   | Invalid object name 'HR.EMP'. | outdated     | HR.EMP
    257   | Implicit conversion from data type int to date is not allowed. Use the CONVERT function to run this query. | outdated
    402   | The data types date and int are incompatible in the less than operator. | outdated
    334   | The target table 'EMP' of the DML statement cannot have any enabled triggers if the statement contains an OUTPUT clause without INTO clause. | other        | EMP
  `)('%i: %s', (number, message, rule, ...names) => {
    expect(sqlServerViolation(thrown([Number(number), message]))).toEqual({
      rule,
      names,
      ...(ofStatements.includes(rule) ? { ofStatement: true } : {}),
    });
  });

  test('a policy of row-level security, and what a trigger meets, may be about one row', () => {
    const denied = "The INSERT permission was denied on the object 'LOG'.";
    const notAllowed = { rule: 'notAllowed', names: ['LOG'] };
    expect(sqlServerViolation(thrownIn('HR.TR_LOG', [229, denied]))).toEqual(notAllowed);
    expect(sqlServerViolation(thrownIn('sp_executesql', [229, denied]))).toEqual({
      ...notAllowed,
      ofStatement: true,
    });
    expect(sqlServerViolation(thrownIn('HR.TR_LOG', [207, "Invalid column name 'A'."]))).toEqual({
      rule: 'other',
      names: ['A'],
    });
    // learn: row-level-security
    const policy = "The attempted operation failed because the target object 'LOG' has a block …";
    expect(sqlServerViolation(thrown([33_504, policy]))).toEqual(notAllowed);
  });

  test('what Babelfish has no number for is raised by nobody, and its text told to nobody', () => {
    const error = thrown([33_557_097, 'relation "erp_sales.ord_hdr" does not exist']);
    expect(sqlServerViolation(error)).toEqual({ rule: 'other', names: ['erp_sales.ord_hdr'] });
  });

  test('what a trigger raised goes before what follows from it', () => {
    const error = thrown(
      [50000, 'Invoices of closed months stay as they are.'],
      [3609, 'The transaction ended in the trigger. The batch has been aborted.'],
    );
    expect(sqlServerViolation(error)).toEqual({
      rule: 'raised',
      names: [],
      text: 'Invoices of closed months stay as they are.',
    });
  });

  test('a rule that was broken within a trigger is found among what follows from it', () => {
    const error = thrown(
      [515, "Cannot insert the value NULL into column 'WHO', table 'ERP.HR.LOG'."],
      [3621, 'The statement has been terminated.'],
      [3609, 'The transaction ended in the trigger. The batch has been aborted.'],
    );
    expect(sqlServerViolation(error)).toEqual({ rule: 'notNull', names: ['WHO', 'ERP.HR.LOG'] });
  });

  test.each([
    [3609, 'The transaction ended in the trigger. The batch has been aborted.'],
    // learn: try-catch-transact-sql; a trigger has caught an error, and told of none.
    [3616, 'An error was raised during trigger execution. The batch has been aborted.'],
  ])('a trigger that rolls back without a word refuses without one (%i)', (number, message) => {
    expect(sqlServerViolation(thrown([number, message]))).toEqual({ rule: 'raised', names: [] });
  });

  test('errors of the driver itself are none of a rule', () => {
    expect(sqlServerViolation(new Error('odd'))).toEqual({ rule: 'other', names: [] });
  });
});

describe('transient', () => {
  afterEach(closeAll);

  /** What a change, or a read, comes to that the server answers with errors. */
  async function said(
    errors: readonly TdsError[],
    rolledBack: boolean,
    work: typeof insert = insertInTransaction,
  ): Promise<readonly [name: string, status: number, message: string, isRefusal: boolean]> {
    const { database } = await open([{ kind: 'errors', errors, rolledBack }]);
    const error = await failure(work(database));
    await stillWorks(database);
    return [error.errorName, error.status, error.message, error instanceof DatabaseRefusal];
  }

  /** What clients are told of a state of the database, by its name in the tables below. */
  const STATES = new Map(
    rows`
      conflict | deadlock            | 503 | The database ended this request in favour of another one (deadlock). Try again.
      readOnly | databaseUnable      | 503 | The database can only be read at the moment.
      moving   | databaseUnable      | 503 | The database is being started or moved to another server. Try again later.
      closed   | databaseUnable      | 503 | The database is closed at the moment: it is being restored, is offline, or is in single-user mode. Try again later.
      busy     | databaseUnable      | 503 | The database is overloaded. Try again later.
      noMemory | databaseUnable      | 503 | The database is out of memory. Try again later.
      noSpace  | databaseUnable      | 503 | The database has no space left to write to.
      locked   | rowLockTimeout      | 409 | Another request or program holds a lock on a row that this request needs, for longer than the gateway waits. Try again later.
      login    | databaseUnable      | 503 | The database refuses the gateway’s login: its password or its right to connect has changed. Tell the gateway’s operator.
      missing  | databaseUnable      | 503 | The gateway’s database no longer exists, or its login may not open it. Tell the gateway’s operator.
      full     | databaseUnable      | 503 | The database accepts no more connections at the moment. Try again later.
      closing  | databaseUnable      | 503 | The database closes new connections at the moment. Try again later.
      away     | databaseUnavailable | 503 | The database cannot be reached at the moment. Try again later.
    `.map(([state = '', name, status, message]) => [state, [name, Number(status), message]]),
  );

  describe('what passes by itself on SQL Server is not a refusal of a row', () => {
    // learn: troubleshoot-transient-connection-errors and mssqlserver-…-database-engine-error;
    // transactions-with-memory-optimized-tables, "Conflict detection and retry logic"
    test.each(rows`
      conflict | 13 | 1205
      conflict | 16 | 3960 | 13535 | 41301 | 41302 | 41305 | 41325
      readOnly | 16 | 3906 | 978
      moving   | 14 | 976 | 983 | 921 | 922 | 952 | 979
      moving   | 17 | 40197 | 40613
      busy     | 16 | 40501 | 10928 | 10929 | 49918 | 49919 | 49920
      noMemory | 17 | 701 | 802 | 8645 | 8651
      closed   | 14 | 924 | 926 | 927 | 942 | 945
      noSpace  | 17 | 1101 | 1105 | 9002
      locked   | 16 | 1222
    `)('%s', async (state, severity, ...numbers) => {
      const expected = [...(STATES.get(state) ?? []), false];
      for (const number of numbers.map(Number)) {
        const message = `Message ${number} of the server’s.`;
        const error = { number, message, severity: Number(severity) };
        const read: typeof insert = (database) => query(database, 'SELECT');
        for (const [rolledBack, work] of [
          [true, insertInTransaction],
          [false, insert],
          [false, read],
        ] as const) {
          expect([number, ...(await said([error], rolledBack, work))]).toEqual([
            number,
            ...expected,
          ]);
        }
      }
    });

    test('whatever else is of severity 17 and above (learn: database-engine-error-severities)', async () => {
      for (const severity of [17, 18, 19]) {
        expect(await said([{ number: 8630, message: 'Internal.', severity }], false)).toEqual([
          'databaseUnable',
          503,
          'The database failed. Its log says why.',
          false,
        ]);
      }
    });

    test('below that, a number that is not known may speak of the row', async () => {
      expect(
        await said([{ number: 8134, message: 'Division by zero.', severity: 16 }], false),
      ).toEqual(['refusedByDatabase', 500, 'The database refused the statement.', true]);
    });

    test('what the application raises is a refusal, whatever its severity', async () => {
      const raised = { number: 50_000, message: 'The month is closed.', severity: 18 };
      const full = { number: 9002, message: 'The log is full.', severity: 17 };
      for (const errors of [[raised], [full, raised]]) {
        expect(await said(errors, true)).toEqual([
          'refusedByDatabase',
          500,
          'The database refused the statement.',
          true,
        ]);
      }
    });
  });

  describe('a connection that SQL Server refuses says why', () => {
    // learn: mssqlserver-18456-database-engine-error, mssqlserver-4060-…, mssqlserver-17809-… and database-engine-events-and-errors
    test.each(rows`
      [18456] | login
      [18486] | login
      [18488] | login
      [916] | login
      [40615] | login
      [4060, 18456] | missing
      [911] | missing
      [17809] | full
      [927, 18456] | closed
      [983, 18456] | moving
      [18401] | moving
      [10928] | busy
      [978] | readOnly
      [12345] | away
      # With all user connections in use, it writes 17809 to its log alone.
      null | closing
    `)('%s: %s', async (given, state) => {
      const numbers = parsed<readonly number[] | null>(given);
      let errors: readonly TdsError[] | null = [];
      const { database } = await open([{ kind: 'cut' }], {
        login: () => errors,
        // The driver tries some of them three times again, half a second apart.
        connectTimeoutSeconds: 10,
      });
      expect((await failure(query(database, 'SELECT'))).errorName).toBe('databaseUnavailable');
      errors = numbers?.map((number) => ({ number, message: `Message ${number}.` })) ?? null;
      const works = [
        () => query(database, 'SELECT'),
        () => insert(database),
        () => database.dedicated(() => undefined),
      ];
      for (const work of works) {
        const { errorName, status, message } = await failure(work());
        expect([errorName, status, message]).toEqual(STATES.get(state));
      }
      errors = [];
      await stillWorks(database);
    });
  });

  test('a session begins with the longest that it waits for locks', async () => {
    const { database, endpoint } = await open([], { lockTimeoutSeconds: 2.5 });
    await stillWorks(database);
    expect(endpoint.settings.at(-1)).toMatch(/\nset lock_timeout 2500$/);
  });
});
