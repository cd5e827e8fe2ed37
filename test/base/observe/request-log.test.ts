import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ProtocolError, type ErrorName } from '../../../src/base/errors.ts';
import type { RequestBegun, WholeRequestObserver } from '../../../src/base/observe/observer.ts';
import { loggedUrl, requestLog } from '../../../src/base/observe/request-log.ts';
import type { WriteObserver } from '../../../src/base/observe/writes.ts';
import { rows } from '../../rows.ts';

type Line = Readonly<Record<string, unknown>>;

const REQUEST = { id: 'r-1', verb: 'GET', url: '/rest/A', address: '127.0.0.1', headers: {} };
const OWN = { reqId: 'r-1', method: 'GET', url: '/rest/A', statusCode: 200 };
const ended = { status: 200, milliseconds: 12.3456, end: 'sent' as const };

/** A log that keeps its lines, and what begins a request. @param slowMs how long a slow request takes */
function logged(slowMs?: number) {
  const lines: Line[] = [];
  const keep = (details: object, msg: string): void => {
    lines.push({ ...details, msg });
  };
  const line = (fields: string, msg: string): void =>
    keep(JSON.parse(`{${fields}}`) as object, msg);
  const observe = requestLog({ error: keep, warn: keep, debug: keep, line }, undefined, slowMs);
  return {
    lines: () => lines.splice(0),
    begin: (more: Partial<RequestBegun> = {}) => observe({ ...REQUEST, ...more }),
  };
}

/** The lines of one request. */
function linesOf(
  live: (observer: WholeRequestObserver) => void,
  more: Partial<RequestBegun> = {},
  slowMs?: number,
): Line[] {
  const { lines, begin } = logged(slowMs);
  live(begin(more));
  return lines();
}

describe('the line of a request', () => {
  test('tells how it ended and where the time went, to the microsecond', () => {
    const lines = linesOf((observer) => {
      observer.stageDone('request', 0.0004);
      observer.stageDone('plan', 0.25);
      observer.stageDone('execute', 10.0004);
      observer.stageDone('plan', 1.0006);
      observer.requestEnded(ended);
    });
    const stages = { request: 0, plan: 1.251, execute: 10 };
    expect(lines).toEqual([{ ...OWN, ms: 12.346, stages, msg: 'request' }]);
  });

  test('tells of a client that has gone, and of a database in trouble', () => {
    const lines = linesOf((observer) => {
      observer.errorMet(new ProtocolError('deadlock', 'It was one.'));
      observer.errorMet(new ProtocolError('outcomeUnknown', 'It is not known.'));
      observer.errorMet(new ProtocolError('deadlock', 'It was one again.'));
      observer.requestEnded({ status: 499, milliseconds: 0.9999, end: 'clientGone' });
    });
    expect(lines.at(-1)).toEqual({
      ...{ ...OWN, statusCode: 499, clientGone: true, errors: ['deadlock', 'outcomeUnknown'] },
      ...{ ms: 1, stages: {}, msg: 'request' },
    });
  });

  test('is JSON whatever the URL holds, and is not written for probes', () => {
    const urls = [
      '/rest/A?$filter="a\\b"&x=\u0001',
      '/rest/A?é=\ud800',
      `/rest/${'"'.repeat(300)}`,
    ];
    const live = (observer: WholeRequestObserver): void => observer.requestEnded(ended);
    expect(urls.map((url) => linesOf(live, { url })[0]?.['url'])).toEqual(urls);
    expect(linesOf(live, { url: '/health/live' })).toEqual([]);
  });
});

test('equal warnings are logged once, and the oldest are forgotten', () => {
  const { lines, begin } = logged();
  const warn = (id: string, warning: string): void => begin({ id }).warned?.(warning);
  warn('r-1', 'first');
  warn('r-2', 'first');
  warn('r-3', 'x'.repeat(5000));
  expect(lines()).toEqual([
    { reqId: 'r-1', msg: 'first' },
    { reqId: 'r-3', msg: `${'x'.repeat(1000)}…` },
  ]);
  for (let more = 0; more < 1000; more += 1) warn('r-4', `more ${more}`);
  lines();
  warn('r-5', 'more 999');
  warn('r-6', 'first');
  expect(lines()).toEqual([{ reqId: 'r-6', msg: 'first' }]);
});

test('writes go to the observer that is made for the request, if any', () => {
  const ignore = (): void => undefined;
  const log = { error: ignore, warn: ignore, debug: ignore, line: ignore };
  const writes = {} as WriteObserver;
  const asked: unknown[] = [];
  const observe = requestLog(log, (begun) => {
    asked.push(begun);
    return writes;
  });
  expect([observe(REQUEST).writes, asked]).toEqual([writes, [REQUEST]]);
  expect(requestLog(log)(REQUEST).writes).toBeNull();
});

const key = `egk_${'a1-_'.repeat(12)}`;

test.each(rows`
  /rest/$directory/login?user=ada&password=pw              | /rest/$directory/login?user=***&password=***
  /rest/A?PassWord-4D=x=y&username-4D=a                    | /rest/A?PassWord-4D=***&username-4D=***
  /rest/A?pass%77ord=pw&access_token=x                     | /rest/A?pass%77ord=***&access_token=***
  /rest/A?api-key=%zz&$top=5                               | /rest/A?api-key=***&$top=5
  /rest/A?%zz=1&token=                                     | /rest/A?%zz=1&token=***
  /rest/A?$filter="name=${key}"                            | /rest/A?$filter="name=egk_***"
  /rest/${key}                                             | /rest/egk_***
  http://ada:pw@host/rest/A                                | http://***@host/rest/A
  /rest/A?$filter="user=5"&$skip=1                         | /rest/A?$filter="user=5"&$skip=1
  /rest/A?$filter="a=1"&password="b&c                      | /rest/A?$filter="a=1"&password=***&c
  /rest/A?sslpassword=x&Client%20Secret=y&a=1              | /rest/A?sslpassword=***&Client%20Secret=***&a=1
  /rest/A?conn=Server=h;Pwd=x;Database=d                   | /rest/A?conn=Server=h;Pwd=***;Database=d
  /rest/A?url=postgres://ada:pw@host/d                     | /rest/A?url=postgres://***@host/d
  /rest/A?url=postgres%3A%2F%2Fada%3Apw%40host%2Fd         | /rest/A?url=postgres%3A%2F%2F***%40host%2Fd
  /rest/A(user=1)                                          | /rest/A(user=1)
  /oidc/callback?code=a&state=b                            | /oidc/callback
  /erp/%6Fidc/callback?code=a&state=b                      | /erp/%6Fidc/callback
  http://ada:pw@host/oidc/callback?code=a                  | http://***@host/oidc/callback
  /rest/${'a'.repeat(1994)}                                | /rest/${'a'.repeat(1994)}
  /rest/${'a'.repeat(1995)}                                | /rest/${'a'.repeat(1994)}…
  /rest/A?password=${'a'.repeat(3000)}                     | /rest/A?password=***
`)('%s is logged without what would let somebody in', (url, told) => {
  expect(loggedUrl(url)).toBe(told);
});

test('a slow request is logged with its statements and its query, and others are not', () => {
  const live =
    (milliseconds: number) =>
    (observer: WholeRequestObserver): void => {
      observer.requestNamed?.({ operation: 'read', dataclass: 'A', describe: () => 'A.n = ?' });
      observer.stageDone('execute', 90.12345);
      observer.stageDone('execute', 1);
      observer.poolWaited(1.5);
      observer.poolWaited(0.25);
      const statement = { name: 'm', text: 'SELECT $2', milliseconds: 80, rows: null };
      observer.statementRun({ name: 'n', text: 'SELECT $1', milliseconds: 3.14159, rows: 2 });
      observer.statementRun({ ...statement, failure: 'timeout' });
      observer.requestEnded({ ...ended, milliseconds });
    };
  const slow = (milliseconds: number, url?: string): Line[] =>
    linesOf(live(milliseconds), url === undefined ? {} : { url }, 100).filter(
      ({ msg }) => msg === 'slow request',
    );
  expect([slow(99.9), slow(100, '/health/ready')]).toEqual([[], []]);
  expect(slow(100, '/rest/A?api-key=x')).toEqual([
    {
      ...{ ...OWN, url: '/rest/A?api-key=***', operation: 'read', ms: 100 },
      ...{ stages: { execute: 91.123 }, poolWaitMs: 1.75, statements: 2 },
      longest: [
        { name: 'm', sql: 'SELECT $2', ms: 80, failed: 'timeout' },
        { name: 'n', sql: 'SELECT $1', ms: 3.142, rows: 2 },
      ],
      ...{ plan: 'A.n = ?', msg: 'slow request' },
    },
  ]);
  const misunderstood = linesOf((observer) => observer.requestEnded(ended), {}, 10);
  expect(misunderstood.find(({ msg }) => msg === 'slow request')).toEqual({
    ...{ ...OWN, ms: 12.346, stages: {}, poolWaitMs: 0, statements: 0, longest: [] },
    msg: 'slow request',
  });
  // Where no request is slow, nothing is kept for it.
  expect(logged().begin().requestNamed).toBeUndefined();
});

test('a line is bounded, however many and long the statements and the query are', () => {
  const lines = linesOf(
    (observer) => {
      const describe = (): string => 'y'.repeat(100_000);
      observer.requestNamed?.({ operation: 'read', dataclass: 'A', describe });
      for (let index = 0; index < 1000; index += 1) {
        const milliseconds = (index * 7) % 1000;
        observer.statementRun({ name: 'n', text: 'z'.repeat(9000), milliseconds, rows: 0 });
      }
      observer.requestEnded(ended);
    },
    { url: `/rest/${'x'.repeat(100_000)}` },
    10,
  );
  const slow = lines.find(({ msg }) => msg === 'slow request');
  const longest = Array.from({ length: 10 }, (_, index) => ({ ms: 999 - index }));
  expect(slow).toMatchObject({ statements: 1000, longest });
  expect(JSON.stringify(slow).length).toBeLessThan(50_000);
});

describe('a database in trouble', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const away = (cause = 'connect ECONNREFUSED 127.0.0.1:5432'): ProtocolError =>
    new ProtocolError('databaseUnavailable', 'It is away.', undefined, new Error(cause));

  test('a database that is away is a line a second, with how many requests it stands for', () => {
    const { lines, begin } = logged();
    const cause = 'connect ECONNREFUSED 127.0.0.1:5432';
    for (let request = 0; request < 500; request += 1) {
      begin({ id: `r${request}` }).errorMet(away());
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
    begin({ id: 'later' }).errorMet(away());
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
    begin({ id: 'first' }).errorMet(away());
    for (const name of names)
      begin({ id: name }).errorMet(new ProtocolError(name, `It is ${name}.`));
    vi.advanceTimersByTime(1000);
    const counted = { databaseUnable: 1, statementTimeout: 1, outcomeUnknown: 1, deadlock: 1 };
    const errors = { connectionsBusy: 2, ...counted };
    expect(lines().slice(1)).toEqual([
      { reqId: 'connectionsBusy', requests: 6, errors, msg: 'It is connectionsBusy.' },
    ]);
  });

  test('a request counts once, and its own line says what it met', () => {
    const { lines, begin } = logged();
    const request = begin({ id: 'one' });
    request.errorMet(away());
    request.errorMet(away());
    request.requestEnded({ status: 503, milliseconds: 1, end: 'sent' });
    vi.advanceTimersByTime(1000);
    const [first, own, ...others] = lines();
    expect(first).toMatchObject({ reqId: 'one', requests: 1 });
    expect(own).toMatchObject({ statusCode: 503, errors: ['databaseUnavailable'], msg: 'request' });
    expect(others).toEqual([]);
  });

  test('a line is short, whatever the engine says', () => {
    const { lines, begin } = logged();
    begin({ id: 'one' }).errorMet(away('x'.repeat(5000)));
    expect(JSON.stringify(lines()).length).toBeLessThan(500);
  });

  test('what is wrong with a request alone, or with the gateway, is a line of its own', () => {
    const { lines, begin } = logged();
    const errors = [
      new TypeError('x.y is not a function'),
      new ProtocolError('refusedByDatabase', 'The database refused the statement.'),
    ];
    begin({ id: 'one' }).errorMet(away());
    for (const error of [...errors, ...errors]) begin({ id: 'two' }).errorMet(error);
    expect(lines().slice(1)).toEqual(
      [...errors, ...errors].map((err) => ({ reqId: 'two', err, msg: err.message })),
    );
  });
});
