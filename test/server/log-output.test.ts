import { pino } from 'pino';
import { expect, test } from 'vitest';
import { tellLost } from '../../src/server/log-output.ts';

test.each([
  ['trace', 40],
  ['info', 40],
  ['warn', 40],
  ['error', 50],
  ['fatal', 60],
])('at level %s it is told of lost lines', (level, told) => {
  const lines: unknown[] = [];
  const write = (line: string): unknown => lines.push(JSON.parse(line));
  tellLost(pino({ level, base: {}, timestamp: false }, { write }), 3);
  expect(lines).toEqual([
    { level: told, lost: 3, msg: 'lines of the log were lost: they were not taken in time' },
  ]);
});
