import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import type { WholeRequestObserver } from '../../../src/base/observe/observer.ts';
import { loggedUrl, requestLog } from '../../../src/base/observe/request-log.ts';
import type { WriteObserver } from '../../../src/base/observe/writes.ts';

/** What is written of one request at level info. */
function lineOf(url: string, live: (observer: WholeRequestObserver) => void): unknown[] {
  const lines: unknown[] = [];
  const observe = requestLog({
    error: () => undefined,
    warn: () => undefined,
    debug: () => undefined,
    line: (fields, message) => lines.push([JSON.parse(`{${fields}}`), message]),
  });
  live(observe({ id: 'r-1', verb: 'GET', url, address: '127.0.0.1', headers: {} }));
  return lines;
}

const ended = { status: 200, milliseconds: 12.3456, end: 'sent' as const };

describe('the line of a request', () => {
  test('tells how it ended and where the time went, to the microsecond', () => {
    const lines = lineOf('/rest/A', (observer) => {
      observer.stageDone('request', 0.0004);
      observer.stageDone('plan', 0.25);
      observer.stageDone('execute', 10.0004);
      observer.stageDone('plan', 1.0006);
      observer.requestEnded(ended);
    });
    const stages = { request: 0, plan: 1.251, execute: 10 };
    expect(lines).toEqual([
      [
        { reqId: 'r-1', method: 'GET', url: '/rest/A', statusCode: 200, ms: 12.346, stages },
        'request',
      ],
    ]);
  });

  test('tells of a client that has gone, and of a database in trouble', () => {
    const lines = lineOf('/rest/A', (observer) => {
      observer.errorMet(new ProtocolError('deadlock', 'It was one.'));
      observer.errorMet(new ProtocolError('databaseUnavailable', 'It is away.'));
      observer.errorMet(new ProtocolError('deadlock', 'It was one again.'));
      observer.requestEnded({ status: 499, milliseconds: 0.9999, end: 'clientGone' });
    });
    const errors = ['deadlock', 'databaseUnavailable'];
    expect(lines).toEqual([
      [
        {
          ...{ reqId: 'r-1', method: 'GET', url: '/rest/A', statusCode: 499, clientGone: true },
          ...{ errors, ms: 1, stages: {} },
        },
        'request',
      ],
    ]);
  });

  test.each(['/rest/A?$filter="a\\b"&x=\u0001', '/rest/A?é=\ud800', `/rest/${'"'.repeat(300)}`])(
    'is JSON whatever the URL holds: %j',
    (url) => {
      const [line] = lineOf(url, (observer) => observer.requestEnded(ended));
      expect(line).toEqual([expect.objectContaining({ url }), 'request']);
    },
  );

  test('is not written for probes', () => {
    expect(lineOf('/health/live', (observer) => observer.requestEnded(ended))).toEqual([]);
  });
});

test('equal warnings are logged once, and the oldest are forgotten', () => {
  const lines: unknown[] = [];
  const ignore = (): void => undefined;
  const observe = requestLog({
    ...{ error: ignore, debug: ignore, line: ignore },
    warn: (...line) => lines.push(line),
  });
  const warn = (id: string, warning: string): void =>
    observe({ id, verb: 'GET', url: '/rest/A', address: '127.0.0.1', headers: {} }).warned?.(
      warning,
    );
  warn('r-1', 'first');
  warn('r-2', 'first');
  warn('r-3', 'x'.repeat(5000));
  expect(lines).toEqual([
    [{ reqId: 'r-1' }, 'first'],
    [{ reqId: 'r-3' }, `${'x'.repeat(1000)}…`],
  ]);
  for (let more = 0; more < 1000; more += 1) warn('r-4', `more ${more}`);
  lines.length = 0;
  warn('r-5', 'more 999');
  warn('r-6', 'first');
  expect(lines).toEqual([[{ reqId: 'r-6' }, 'first']]);
});

test('writes go to the observer that is made for the request, if any', () => {
  const ignore = (): void => undefined;
  const log = { error: ignore, warn: ignore, debug: ignore, line: ignore };
  const request = { id: 'r-1', verb: 'POST', url: '/rest/A', address: '127.0.0.1', headers: {} };
  const writes: WriteObserver = {
    wantsValues: () => false,
    checkWritable: ignore,
    entitiesWritten: ignore,
    entitiesRefused: ignore,
    reloadAsked: () => undefined,
    functionCalled: ignore,
    requestRefused: ignore,
  };
  const asked: unknown[] = [];
  const observe = requestLog(log, (begun) => {
    asked.push(begun);
    return writes;
  });
  expect(observe(request).writes).toBe(writes);
  expect(asked).toEqual([request]);
  expect(requestLog(log)(request).writes).toBeNull();
});

const key = `egk_${'a1-_'.repeat(12)}`;

test.each([
  ['/rest/$directory/login?user=ada&password=pw', '/rest/$directory/login?user=***&password=***'],
  ['/rest/A?PassWord-4D=x=y&username-4D=a', '/rest/A?PassWord-4D=***&username-4D=***'],
  ['/rest/A?pass%77ord=pw&access_token=x', '/rest/A?pass%77ord=***&access_token=***'],
  ['/rest/A?api-key=%zz&$top=5', '/rest/A?api-key=***&$top=5'],
  ['/rest/A?%zz=1&token=', '/rest/A?%zz=1&token=***'],
  [`/rest/A?$filter="name=${key}"`, '/rest/A?$filter="name=egk_***"'],
  [`/rest/${key}`, '/rest/egk_***'],
  ['http://ada:pw@host/rest/A', 'http://***@host/rest/A'],
  ['/rest/A?$filter="user=5"&$skip=1', '/rest/A?$filter="user=5"&$skip=1'],
  ['/rest/A?$filter="a=1"&password="b&c', '/rest/A?$filter="a=1"&password=***&c'],
  [
    '/rest/A?sslpassword=x&Client%20Secret=y&a=1',
    '/rest/A?sslpassword=***&Client%20Secret=***&a=1',
  ],
  ['/rest/A?conn=Server=h;Pwd=x;Database=d', '/rest/A?conn=Server=h;Pwd=***;Database=d'],
  ['/rest/A?url=postgres://ada:pw@host/d', '/rest/A?url=postgres://***@host/d'],
  [
    '/rest/A?url=postgres%3A%2F%2Fada%3Apw%40host%2Fd',
    '/rest/A?url=postgres%3A%2F%2F***%40host%2Fd',
  ],
  ['/rest/A(user=1)', '/rest/A(user=1)'],
  ['/oidc/callback?code=a&state=b', '/oidc/callback'],
  ['/erp/%6Fidc/callback?code=a&state=b', '/erp/%6Fidc/callback'],
  ['http://ada:pw@host/oidc/callback?code=a', 'http://***@host/oidc/callback'],
  [`/rest/${'a'.repeat(1994)}`, `/rest/${'a'.repeat(1994)}`],
  [`/rest/${'a'.repeat(1995)}`, `/rest/${'a'.repeat(1994)}…`],
  [`/rest/A?password=${'a'.repeat(3000)}`, '/rest/A?password=***'],
])('%s is logged without what would let somebody in', (url, told) => {
  expect(loggedUrl(url)).toBe(told);
});
