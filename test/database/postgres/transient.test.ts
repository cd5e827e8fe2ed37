import { expect, test } from 'vitest';
import { databaseErrors, type DatabaseError } from '../../../src/database/errors.ts';
import { postgresErrors } from '../../../src/database/postgres/errors.ts';

/** An error as the server tells it. */
function thrown(code: string, routine = 'somewhere'): Error {
  return Object.assign(new Error('as the server says it'), { code, routine });
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
test.each<readonly [string, DatabaseError]>([
  ['40001', databaseErrors.deadlock],
  ['40P01', databaseErrors.deadlock],
  ['25006', databaseErrors.readOnly],
  ['53000', databaseErrors.busy],
  ['53100', databaseErrors.noSpace],
  ['53200', databaseErrors.noMemory],
  ['53300', databaseErrors.tooManyConnections],
  ['53400', databaseErrors.tooMuch],
  ['55006', databaseErrors.locked],
  ['55P03', databaseErrors.locked],
  ['57000', databaseErrors.unavailable],
  ['57014', databaseErrors.timeout],
  ['57P01', databaseErrors.unavailable],
  ['57P02', databaseErrors.unavailable],
  ['57P03', databaseErrors.unavailable],
  ['57P05', databaseErrors.unavailable],
  ['58000', databaseErrors.failing],
  ['58030', databaseErrors.failing],
  ['58P01', databaseErrors.failing],
  ['XX000', databaseErrors.failing],
  ['XX001', databaseErrors.failing],
  ['XX002', databaseErrors.failing],
])('%s passes by itself, and is not a refusal unless a trigger raised it', (state, error) => {
  expect(postgresErrors.classify(thrown(state))).toBe(error);
  const raised = thrown(state, 'exec_stmt_raise');
  expect(postgresErrors.classify(raised)).toBeNull();
  expect(postgresErrors.violation(raised)).toEqual({
    rule: 'raised',
    names: [],
    text: 'as the server says it',
  });
});

test.each([
  ['23505', 'unique'],
  ['22012', 'badValue'],
  // A value is longer than an index, a page or a type can hold.
  ['54000', 'tooLong'],
  // A value is nested deeper than the server's stack is.
  ['54001', 'other'],
  // A value may name a table.
  ['42P01', 'other'],
])('%s may speak of the row', (state, rule) => {
  expect(postgresErrors.classify(thrown(state))).toBeNull();
  expect(postgresErrors.violation(thrown(state)).rule).toBe(rule);
});

// https://www.postgresql.org/docs/current/errcodes-appendix.html, and src/backend/utils/init/postinit.c of the server
test.each<readonly [string, DatabaseError]>([
  ['28000', databaseErrors.loginRefused],
  ['28P01', databaseErrors.loginRefused],
  ['42501', databaseErrors.loginRefused],
  ['3D000', databaseErrors.missing],
  ['53300', databaseErrors.tooManyConnections],
  ['55000', databaseErrors.closed],
  ['57P03', databaseErrors.moving],
  ['57P01', databaseErrors.unavailable],
  ['53200', databaseErrors.noMemory],
  ['XX000', databaseErrors.failing],
  ['08006', databaseErrors.unavailable],
  ['0A000', databaseErrors.unavailable],
])('a connection that is refused by %s says why', (state, error) => {
  expect(postgresErrors.connecting(thrown(state))).toBe(error);
});

test.each([
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' }),
  new AggregateError([new Error('connect ECONNREFUSED ::1:1')]),
  new Error('timeout expired'),
  new Error('The server does not support SSL connections'),
])('a connection that cannot be made is away: %s', (error) => {
  expect(postgresErrors.connecting(error)).toBe(databaseErrors.unavailable);
});
