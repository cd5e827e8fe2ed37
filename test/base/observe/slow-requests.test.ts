import { expect, test } from 'vitest';
import type { RequestBegun, WholeRequestObserver } from '../../../src/base/observe/observer.ts';
import { requestLog } from '../../../src/base/observe/request-log.ts';

/** What is logged of a request, at level warn, where 100 ms are slow. */
function linesOf(
  more: Partial<RequestBegun>,
  live: (observer: WholeRequestObserver) => void,
): unknown[] {
  const lines: unknown[] = [];
  const ignore = (): void => undefined;
  const log = { error: ignore, debug: ignore, line: ignore };
  const observe = requestLog({ ...log, warn: (...line) => lines.push(line) }, undefined, 100);
  const request = { id: 'r-1', verb: 'GET', url: '/rest/A', address: '127.0.0.1', headers: {} };
  live(observe({ ...request, ...more }));
  return lines;
}

const slow = { status: 200, milliseconds: 100, end: 'sent' as const };

test('a slow request is logged with its statements and its query, and others are not', () => {
  const live =
    (milliseconds: number) =>
    (observer: WholeRequestObserver): void => {
      observer.requestNamed?.({ operation: 'read', dataclass: 'A', describe: () => 'A.n = ?' });
      observer.stageDone('execute', 90.12345);
      observer.stageDone('execute', 1);
      observer.poolWaited(1.5);
      observer.poolWaited(0.25);
      observer.statementRun({ name: 'n', text: 'SELECT $1', milliseconds: 3.14159, rows: 2 });
      observer.statementRun({
        ...{ name: 'm', text: 'SELECT $2', milliseconds: 80, rows: null },
        failure: 'timeout',
      });
      observer.requestEnded({ ...slow, milliseconds });
    };
  expect(linesOf({}, live(99.9))).toEqual([]);
  expect(linesOf({ url: '/rest/A?api-key=x' }, live(100))).toEqual([
    [
      {
        ...{ reqId: 'r-1', method: 'GET', url: '/rest/A?api-key=***', statusCode: 200 },
        ...{ operation: 'read', ms: 100, stages: { execute: 91.123 }, poolWaitMs: 1.75 },
        statements: 2,
        longest: [
          { name: 'm', sql: 'SELECT $2', ms: 80, failed: 'timeout' },
          { name: 'n', sql: 'SELECT $1', ms: 3.142, rows: 2 },
        ],
        plan: 'A.n = ?',
      },
      'slow request',
    ],
  ]);
});

test('a request that was not understood is logged without a query, and a probe is not', () => {
  const live = (observer: WholeRequestObserver): void =>
    observer.requestEnded({ status: 499, milliseconds: 5000, end: 'clientGone' });
  expect(linesOf({ url: '/health/ready' }, live)).toEqual([]);
  expect(linesOf({}, live)).toEqual([
    [
      {
        ...{ reqId: 'r-1', method: 'GET', url: '/rest/A', statusCode: 499 },
        ...{ ms: 5000, stages: {}, poolWaitMs: 0, statements: 0, longest: [] },
      },
      'slow request',
    ],
  ]);
});

test('a line is bounded, however many and long the statements and the query are', () => {
  const lines = linesOf({ url: `/rest/${'x'.repeat(100_000)}` }, (observer) => {
    observer.requestNamed?.({
      ...{ operation: 'read', dataclass: 'A' },
      describe: () => 'y'.repeat(100_000),
    });
    for (let index = 0; index < 1000; index += 1) {
      const milliseconds = (index * 7) % 1000;
      observer.statementRun({ name: 'n', text: 'z'.repeat(9000), milliseconds, rows: 0 });
    }
    observer.requestEnded(slow);
  });
  const [[line]] = lines as [[{ statements: number; longest: { ms: number }[] }]];
  expect(line.statements).toBe(1000);
  expect(line.longest.map(({ ms }) => ms)).toEqual([
    999, 998, 997, 996, 995, 994, 993, 992, 991, 990,
  ]);
  expect(JSON.stringify(line).length).toBeLessThan(50_000);
});

test('where no request is slow, nothing is kept for it', () => {
  const ignore = (): void => undefined;
  const observe = requestLog({ error: ignore, warn: ignore, debug: ignore, line: ignore });
  const request = { id: 'r-1', verb: 'GET', url: '/rest/A', address: '127.0.0.1', headers: {} };
  expect(observe(request).requestNamed).toBeUndefined();
});
