import { pino } from 'pino';
import { expect, test } from 'vitest';
import {
  logBase,
  logSerializers,
  logTime,
  reportLost,
  takingLines,
} from '../../../src/server/http/log-output.ts';
import { parsed, rows } from '../../rows.ts';
import { prettyLine, prettyLog } from '../../../src/server/http/pretty-log.ts';

test.each([
  ['trace', 40],
  ['warn', 40],
  ['error', 50],
  ['fatal', 60],
])('at level %s it is told of lost lines', (level, told) => {
  const lines: unknown[] = [];
  const write = (line: string): unknown => lines.push(JSON.parse(line));
  reportLost(pino({ level, base: {}, timestamp: false }, { write }), 3);
  expect(lines).toEqual([
    { level: told, lost: 3, msg: 'lines of the log were lost: they were not read in time' },
  ]);
});

test.each([
  ['info', true],
  ['warn', false],
  ['silent', false],
])('at level %s lines that are JSON already are written: %s', (level, isWritten) => {
  const lines: string[] = [];
  const stream = { write: (line: string): unknown => lines.push(line) };
  const base = logBase(2);
  const log = pino({ level, base, timestamp: logTime }, stream);
  const { line } = takingLines(log, base, stream);
  log.info({ reqId: 'a', ms: 1 }, 'request');
  line('"reqId":"a","ms":1', 'request');
  // Both are the same but for the moment.
  const timeless = lines.map((one) => one.replace(/"time":"[^"]*",/, ''));
  expect(timeless).toEqual(isWritten ? [timeless[0], timeless[0]] : []);
  expect(
    lines.every((one) => /^\{"level":30,"time":"\d{4}-\d\d-\d\dT[\d:.]{12}Z","pid":/.test(one)),
  ).toBe(true);
});

test.each([
  ['The users stay.', 'users.yaml:2:20: no hash', 'The users stay. users.yaml:2:20: no hash'],
  ['the pool ended', 'socket closed', 'the pool ended: socket closed'],
])('an error %j is written with its cause', (message, cause, written) => {
  const lines: unknown[] = [];
  const write = (line: string): unknown => lines.push(JSON.parse(line));
  const log = pino({ serializers: logSerializers }, { write });
  log.error({ err: new Error(message, { cause: new Error(cause) }) }, message);
  log.error({ err: 'no error' }, message);
  expect(lines).toMatchObject([
    { err: { type: 'Error', message: written }, msg: message },
    { err: 'no error', msg: message },
  ]);
});

const time = '2026-11-25T19:20:00.123Z';
const base = { level: 30, time, pid: 4711, hostname: 'erp' };
const request = {
  ...{ ...base, reqId: 'r-1', method: 'GET', url: '/rest/Employee?$top=1', statusCode: 200 },
  ...{ ms: 7.339, stages: { plan: 0.994 }, msg: 'request' },
};

test.each(rows`
  a message | {msg: stopping, signal: SIGTERM}   | INFO  stopping signal=SIGTERM
  a warning | {level: 40, msg: Nobody logs in.}  | WARN  Nobody logs in.
  a level of its own | {level: 35, msg: x}       | 35    x
  a long member | {msg: x, sql: ${'a'.repeat(3000)}} | INFO  x sql=${'a'.repeat(2000)}…
  what a client sent | {msg: "no \\"a\\n${time} FATAL b\\" \\u001b[2J\\u009b2J"} | INFO  no "a\n    ${time} FATAL b" \\u001b[2J\\u009b2J
  texts with spaces | {level: 20, reqId: r-1, sql: SELECT 1, rows: 1, msg: statement} | DEBUG statement reqId=r-1 sql="SELECT 1" rows=1
  an error | {level: 50, reqId: r-1, err: {type: Error, stack: "Error: x\\n    at y"}, msg: x} | ERROR x reqId=r-1\n    Error: x\n        at y
  a request | {} | INFO  GET /rest/Employee?$top=1 200 7.339 ms
  a request that failed | {statusCode: 503, errors: [databaseUnavailable]}
    | INFO  GET /rest/Employee?$top=1 503 7.339 ms errors=["databaseUnavailable"] reqId=r-1
  a slow request | {level: 40, msg: slow request, waitedMs: 2} | WARN  slow request: GET /rest/Employee?$top=1 200 7.339 ms waitedMs=2
`)('%s is shown as text', (title, given, text) => {
  const line = { ...(title.includes('request') ? request : base), ...parsed(given) };
  expect(prettyLine(`${JSON.stringify(line)}\n`)).toBe(`${time} ${text}\n`);
});

test('a log passes through it', () => {
  const lines: string[] = [];
  const stream = prettyLog({ write: (line) => lines.push(line) });
  pino({ timestamp: logTime }, stream).info('served');
  expect(lines).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z INFO {2}served\n$/),
  ]);
});
