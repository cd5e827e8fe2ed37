import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GatheredLines } from '../../src/server/gathered-lines.ts';

let pieces: string[];
let counts: number[];
let lines: GatheredLines;
beforeEach(() => {
  vi.useFakeTimers();
  pieces = [];
  counts = [];
  const write = (text: string, count: number): void => {
    pieces.push(text);
    counts.push(count);
  };
  lines = new GatheredLines({ write }, 20, 100);
});
afterEach(() => {
  vi.useRealTimers();
});

test('lines are handed on together, after a pause', () => {
  lines.write('one\n');
  vi.advanceTimersByTime(60);
  lines.write('two\n');
  expect(pieces).toEqual([]);
  vi.advanceTimersByTime(40);
  expect(pieces).toEqual(['one\ntwo\n']);
  vi.advanceTimersByTime(1000);
  lines.write('three\n');
  vi.advanceTimersByTime(100);
  expect([pieces, counts]).toEqual([
    ['one\ntwo\n', 'three\n'],
    [2, 1],
  ]);
});

test('no piece is longer than it may be, in bytes, unless it is one line', () => {
  const written = [
    '123456789\n',
    '123456789\n',
    'ééééééé\n',
    '12345\n',
    `${'x'.repeat(30)}\n`,
    'y\n',
  ];
  for (const line of written) lines.write(line);
  expect(pieces).toEqual(['123456789\n123456789\n', 'ééééééé\n', '12345\n', `${'x'.repeat(30)}\n`]);
  lines.handOn();
  expect(pieces.join('')).toBe(written.join(''));
});

test('what there is is handed on once', () => {
  lines.write('one\n');
  lines.handOn();
  expect(pieces).toEqual(['one\n']);
  vi.advanceTimersByTime(1000);
  lines.handOn();
  expect(pieces).toEqual(['one\n']);
});
