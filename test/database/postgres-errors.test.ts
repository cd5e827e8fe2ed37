import { expect, test } from 'vitest';
import { failure, type Purpose } from '../../src/database/connection.ts';
import { postgresErrors } from '../../src/database/postgres/errors.ts';

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
          'A table or column of the database has changed since the gateway read the schema. Run entitygate check, and reload the gateway.',
      });
    }
  },
);

test('a read of a materialized view that was never filled is told as such (55000, errcodes-appendix)', () => {
  expect(told('55000', { routine: 'ExecOpenScanRelation' })).toBe(
    'A materialized view of the database was never filled: REFRESH MATERIALIZED VIEW fills it.',
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
