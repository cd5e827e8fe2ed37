import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../src/base/limits.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { mixedFilterWarning } from '../../../src/server/pipeline/mixed-filter.ts';

function warningOf(filter: string, path = 'A?', verb: 'GET' | 'POST' = 'GET'): string | null {
  const url = `/rest/${path}${filter === '' ? '' : `$filter=${encodeURIComponent(filter)}`}`;
  return mixedFilterWarning(parseRequest(url, verb, defaultLimits, () => false).ast);
}

function about(readAs: string): string {
  return `A $filter for A joins AND and OR without parentheses. It is read from left to right, as: ${readAs}. Parentheses make it say what is meant.`;
}

describe('a warning says how AND and OR without parentheses are read, without values', () => {
  test.each([
    ['a = 1 OR b = secret AND c', '(a = ? OR b = ?) AND c'],
    ['a AND b OR c', '(a AND b) OR c'],
    ['a & b | c & d', '((a AND b) OR c) AND d'],
    ['a OR b EXCEPT c AND d', '((a OR b) EXCEPT c) AND d'],
    ['x AND (a OR b AND c) AND y', 'x AND ((a OR b) AND c) AND y'],
    ['NOT (a OR b AND c)', 'NOT ((a OR b) AND c)'],
    ['NOT a OR b AND c', '(NOT (a) OR b) AND c'],
    ['a.b % x OR c IN [1,2] AND d !== null', '(a.b % ? OR c IN ?) AND d !== ?'],
  ])('%s', (filter, readAs) => {
    expect(warningOf(filter)).toBe(about(readAs));
  });

  test.each([
    ['A/n?$compute=sum&', 'GET'],
    ['A?$method=entityset&', 'GET'],
    ['A?$method=delete&', 'POST'],
    ['A/$entityset/ABC?', 'GET'],
  ] as const)('of %s', (path, verb) => {
    expect(warningOf('a OR b AND c', path, verb)).toBe(about('(a OR b) AND c'));
  });
});

test.each([
  '',
  'a',
  'a = "x AND y OR z"',
  'a AND b AND c',
  'a OR b EXCEPT c',
  'a OR (b AND c)',
  '(a OR b) AND c',
  'NOT (a OR b) AND c',
])('nothing is said of %j', (filter) => {
  expect(warningOf(filter)).toBeNull();
});

test.each(['$catalog', '$info', 'A(1)'])('nothing is said of %s', (path) => {
  expect(warningOf('', path)).toBeNull();
});
