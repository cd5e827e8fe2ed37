import { expect, test } from 'vitest';
import { failure, type Purpose } from '../../../src/database/connection.ts';
import { postgresErrors, postgresViolation } from '../../../src/database/postgres/errors.ts';
import { databaseErrors } from '../../../src/database/errors.ts';
import { parsed, rows } from '../../rows.ts';

function failed(state: string, purpose: Purpose, rest: Record<string, unknown> = {}): unknown {
  const error = Object.assign(new Error('…'), { code: state, ...rest });
  return failure(error, purpose, postgresErrors);
}

/** What clients are told of an error that PostgreSQL answers a read with. */
function told(state: string, rest: Record<string, unknown> = {}): unknown {
  return failureOf(state, rest).message;
}

function failureOf(state: string, rest: Record<string, unknown> = {}): Error {
  return failed(state, { effect: 'read' }, rest) as Error;
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
test.each(['42703', '42P01', '42804', '42846', '42883'])(
  'a statement that does not fit the tables any more says so: %s',
  (state) => {
    for (const purpose of [{ effect: 'read' }, { effect: 'write', whenLost: 'unknown' }] as const) {
      expect(failed(state, purpose, { position: '15' })).toMatchObject({
        errorName: 'schemaChanged',
        message:
          'A table or column of the database has changed since the gateway read the schema. Tell the gateway’s operator.',
      });
    }
  },
);

test('a read of a materialized view that was never filled is told as such (55000, errcodes-appendix)', () => {
  expect(told('55000', { routine: 'ExecOpenScanRelation' })).toBe(
    'A materialized view that this request reads was never filled. Tell the gateway’s operator.',
  );
});

test.each([
  ['42601', {}],
  ['55000', { routine: 'exec_stmt_raise' }],
])('a read that is refused for another reason is not: %s %j', (state, rest) => {
  expect(told(state, rest)).toBe('The database refused the statement.');
});

test('text that the encoding of the database lacks is told as the client’s (22P05, errcodes-appendix)', () => {
  const cause = Object.assign(new Error('…'), { code: '22P05' });
  const read = failure(cause, { effect: 'read' }, postgresErrors);
  expect(read).toMatchObject({
    errorName: 'wrongType',
    status: 400,
    message: 'A text of this request holds characters that the encoding of the database lacks.',
  });
  const effect = { effect: 'write', whenLost: 'rolledBack' } as const;
  for (const error of [read, failure(cause, effect, postgresErrors)]) {
    expect(error).toMatchObject({ violation: { rule: 'unencodable' } });
  }
});

test('a read without the right to it is told as such (42501, errcodes-appendix)', () => {
  expect(failureOf('42501')).toMatchObject({
    errorName: 'mayNotRead',
    status: 403,
    message: 'The gateway’s user of the database may not read what this request asks for.',
  });
});

/** What the server says, by https://www.postgresql.org/docs/current/protocol-error-fields.html. */
function said(code: string, message: string, rest: object): unknown {
  return Object.assign(new Error(message), { code, ...rest });
}

test.each(rows`
  a right that is lacking | 42501 | permission denied for table emp | {routine: aclcheck_error} | {rule: notAllowed, names: [], ofStatement: true}
  a column that the database fills in | 428C9 | cannot insert a non-DEFAULT value into column "id" | {} | {rule: generated, names: [id], ofStatement: true}
  a view that cannot be changed | 55000 | cannot update view "v" | {routine: error_view_not_updatable} | {rule: notUpdatable, names: [v], ofStatement: true}
  a published table whose rows nothing identifies | 55000 | cannot update table "t" because it does not have a replica identity and publishes updates
    | {routine: CheckCmdReplicaIdentity} | {rule: notUpdatable, names: [t], ofStatement: true}
  a table that is not there any more | 42P01 | relation "hr.emp" does not exist | {position: '15'} | {rule: outdated, names: [], ofStatement: true}
  a column that is not there any more | 42703 | column t.grade does not exist | {position: '15'} | {rule: outdated, names: [], ofStatement: true}
  a column that is text now and is compared with a number | 42883 | operator does not exist: text < integer | {position: '15'} | {rule: outdated, names: [], ofStatement: true}
  a column that is text now and is given a number | 42804 | column "grade" is of type text but expression is of type integer
    | {position: '15'} | {rule: outdated, names: [], ofStatement: true}
`)('%s is said of the statement, whatever its rows', (_, code, message, fields, violation) => {
  expect(postgresViolation(said(code, message, parsed(fields)))).toEqual(parsed(violation));
});

test.each(rows`
  a policy of row-level security | 42501 | new row violates row-level security policy for table "emp" | {routine: ExecWithCheckOptions} | {rule: notAllowed, names: [emp]}
  a right that a trigger lacks | 42501 | permission denied for table log | {where: PL/pgSQL function hr.tr_log() line 3 at SQL statement} | {rule: notAllowed, names: []}
  a column that a trigger misses | 42703 | column "grade" does not exist | {where: PL/pgSQL function hr.tr_log() line 3 at SQL statement} | {rule: other, names: []}
  a state that a trigger raises | 42501 | Only on weekdays. | {routine: exec_stmt_raise, where: PL/pgSQL function} | {rule: raised, names: [], text: Only on weekdays.}
  a value | 22P02 | invalid input syntax for type json | {} | {rule: badValue, names: []}
  a value that names a table which is not there | 42P01 | relation "nowhere" does not exist | {} | {rule: other, names: []}
  a value that an extension does not read | XX000 | Unexpected end of string | {routine: parse_hstore} | {rule: failed, names: []}
  a value of a parameter, in any language | XX000 | Unexpected end of string | {where: "unbenanntes Portal, Parameter $2 = '...'"} | {rule: badValue, names: [], parameter: 2}
  a value of a parameter, behind what its type says of it | 42601 | syntax error at or near "^"
    | {where: "invalid type name \\"^\\"\\nunnamed portal parameter $1 = '...'", position: '1'} | {rule: badValue, names: [], parameter: 1}
  what is computed, where the server logs the parameters of errors | 22012 | division by zero | {where: "unnamed portal with parameters: $1 = '1'"} | {rule: badValue, names: []}
  what a function computes of a parameter | 22012 | division by zero
    | {where: "SQL statement \\"SELECT 1 / n\\nFROM t WHERE v = $1 = '1'\\"\\nPL/pgSQL function f() line 3 at SQL statement"} | {rule: badValue, names: []}
  a sequence at its end | 2200H | nextval: reached maximum value of sequence "emp_id_seq" (32767) | {} | {rule: exhausted, names: []}
`)('%s may be about one row', (_, code, message, fields, violation) => {
  expect(postgresViolation(said(code, message, parsed(fields)))).toEqual(parsed(violation));
});

/** An error as the server tells it. */
function thrown(code: string, routine = 'somewhere'): Error {
  return Object.assign(new Error('as the server says it'), { code, routine });
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
test.each(rows<[error: keyof typeof databaseErrors, ...states: string[]]>`
  deadlock           | 40001 | 40P01
  readOnly           | 25006
  busy               | 53000
  noSpace            | 53100
  noMemory           | 53200
  tooManyConnections | 53300
  tooMuch            | 53400
  locked             | 55006 | 55P03
  unavailable        | 57000 | 57P01 | 57P02 | 57P03 | 57P05
  timeout            | 57014
  failing            | 58000 | 58030 | 58P01 | XX000 | XX001 | XX002
`)('%s passes by itself, and is not a refusal unless a trigger raised it', (error, ...states) => {
  for (const state of states) {
    expect(postgresErrors.classify(thrown(state))).toBe(databaseErrors[error]);
    const raised = thrown(state, 'exec_stmt_raise');
    expect(postgresErrors.classify(raised)).toBeNull();
    expect(postgresErrors.violation(raised)).toEqual({
      ...{ rule: 'raised', names: [], text: 'as the server says it' },
    });
  }
});

test.each(rows`
  23505 | unique
  22012 | badValue
  # A value is longer than an index, a page or a type can hold.
  54000 | tooLong
  # A value is nested deeper than the server's stack is.
  54001 | other
  # A value may name a table.
  42P01 | other
`)('%s may speak of the row', (state, rule) => {
  expect(postgresErrors.classify(thrown(state))).toBeNull();
  expect(postgresErrors.violation(thrown(state)).rule).toBe(rule);
});

// https://www.postgresql.org/docs/current/errcodes-appendix.html, and src/backend/utils/init/postinit.c of the server
test.each(rows<[error: keyof typeof databaseErrors, ...states: string[]]>`
  loginRefused       | 28000 | 28P01 | 42501
  missing            | 3D000
  tooManyConnections | 53300
  closed             | 55000
  moving             | 57P03
  unavailable        | 57P01 | 08006 | 0A000
  noMemory           | 53200
  failing            | XX000
`)('a connection that is refused by %s says why', (error, ...states) => {
  const found = states.map((state) => postgresErrors.connecting(thrown(state)));
  expect(found).toEqual(states.map(() => databaseErrors[error]));
});

test.each([
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' }),
  new AggregateError([new Error('connect ECONNREFUSED ::1:1')]),
  new Error('timeout expired'),
  new Error('The server does not support SSL connections'),
])('a connection that cannot be made is away: %s', (error) => {
  expect(postgresErrors.connecting(error)).toBe(databaseErrors.unavailable);
});
