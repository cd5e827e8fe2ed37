import { pino } from 'pino';
import { expect, test } from 'vitest';
import { logBase, logTime, takingLines, reportLost } from '../../../src/server/http/log-output.ts';

test.each([
  ['trace', 40],
  ['info', 40],
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
  ['trace', true],
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
