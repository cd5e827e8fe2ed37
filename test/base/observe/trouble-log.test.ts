import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProtocolError, type ErrorName } from '../../../src/base/errors.ts';
import type { WholeRequestObserver } from '../../../src/base/observe/observer.ts';
import { requestLog } from '../../../src/base/observe/request-log.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Line = Readonly<Record<string, unknown>>;

/** A log that keeps its lines, and what begins a request. */
function logged(): { lines: () => Line[]; begin: (id: string) => WholeRequestObserver } {
  const lines: Line[] = [];
  const keep = (details: object, msg: string): void => {
    lines.push({ ...details, msg });
  };
  const observe = requestLog({
    error: keep,
    warn: keep,
    debug: keep,
    line: (fields, msg) => lines.push({ ...(JSON.parse(`{${fields}}`) as object), msg }),
  });
  return {
    lines: () => lines.splice(0),
    begin: (id) => observe({ id, verb: 'GET', url: '/rest/A', address: '127.0.0.1', headers: {} }),
  };
}

const away = (cause = 'connect ECONNREFUSED 127.0.0.1:5432'): ProtocolError =>
  new ProtocolError('databaseUnavailable', 'It is away.', undefined, new Error(cause));

test('a database that is away is a line a second, with how many requests it stands for', () => {
  const { lines, begin } = logged();
  const cause = 'connect ECONNREFUSED 127.0.0.1:5432';
  for (let request = 0; request < 500; request += 1) {
    begin(`r${request}`).errorMet(away());
    vi.advanceTimersByTime(10);
  }
  const line = { msg: 'It is away.', cause };
  expect(lines()).toEqual([
    { ...line, reqId: 'r0', requests: 1, errors: { databaseUnavailable: 1 } },
    ...[1, 100, 200, 300, 400].map((first) => {
      const requests = first === 1 ? 99 : 100;
      return { ...line, reqId: `r${first}`, requests, errors: { databaseUnavailable: requests } };
    }),
  ]);
  vi.advanceTimersByTime(5000);
  expect(lines()).toEqual([]);
  begin('later').errorMet(away());
  expect(lines()).toEqual([
    { ...line, reqId: 'later', requests: 1, errors: { databaseUnavailable: 1 } },
  ]);
});

test('what else comes of it is counted beside it', () => {
  const { lines, begin } = logged();
  const names: readonly ErrorName[] = [
    ...(['connectionsBusy', 'connectionsBusy', 'databaseUnable'] as const),
    ...(['statementTimeout', 'outcomeUnknown', 'deadlock'] as const),
  ];
  begin('first').errorMet(away());
  for (const name of names) begin(name).errorMet(new ProtocolError(name, `It is ${name}.`));
  vi.advanceTimersByTime(1000);
  expect(lines().slice(1)).toEqual([
    {
      reqId: 'connectionsBusy',
      requests: 6,
      errors: {
        connectionsBusy: 2,
        databaseUnable: 1,
        statementTimeout: 1,
        outcomeUnknown: 1,
        deadlock: 1,
      },
      msg: 'It is connectionsBusy.',
    },
  ]);
});

test('a request counts once, and its own line says what it met', () => {
  const { lines, begin } = logged();
  const request = begin('one');
  request.errorMet(away());
  request.errorMet(away());
  request.requestEnded({ status: 503, milliseconds: 1, end: 'sent' });
  vi.advanceTimersByTime(1000);
  const [first, own, ...others] = lines();
  expect(first).toMatchObject({ reqId: 'one', requests: 1 });
  expect(own).toEqual({
    reqId: 'one',
    method: 'GET',
    url: '/rest/A',
    statusCode: 503,
    errors: ['databaseUnavailable'],
    ms: 1,
    stages: {},
    msg: 'request',
  });
  expect(others).toEqual([]);
});

test('a line is short, whatever the engine says', () => {
  const { lines, begin } = logged();
  begin('one').errorMet(away('x'.repeat(5000)));
  expect(JSON.stringify(lines()).length).toBeLessThan(500);
});

test('what is wrong with a request alone, or with the gateway, is a line of its own', () => {
  const { lines, begin } = logged();
  const errors = [
    new TypeError('x.y is not a function'),
    new ProtocolError('refusedByDatabase', 'The database refused the statement.'),
  ];
  begin('one').errorMet(away());
  for (const error of [...errors, ...errors]) begin('two').errorMet(error);
  expect(lines().slice(1)).toEqual(
    [...errors, ...errors].map((err) => ({ reqId: 'two', err, msg: err.message })),
  );
});
