import { describe, expect, test } from 'vitest';
import { RequestFailure } from '../../../src/database/sqlserver/new-connection.ts';
import { sqlServerViolation } from '../../../src/database/sqlserver/errors.ts';
import { rows } from '../../rows.ts';

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
