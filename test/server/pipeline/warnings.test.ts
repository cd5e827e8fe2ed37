import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import type { RequestObserver } from '../../../src/base/observe/observer.ts';
import { checkRights } from '../../../src/plan/write/rights.ts';
import { reportError } from '../../../src/server/pipeline/error-answers.ts';
import { NO_ORIGINS, refuseOtherOrigin } from '../../../src/server/http/admission.ts';
import { defaultLimits } from '../../../src/base/limits.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { mixedFilterWarning } from '../../../src/server/pipeline/mixed-filter.ts';

const site = { origin: 'https://shop.example' };
const request = { verb: 'POST', headers: site, host: 'api.example', isSecure: true } as const;
const readOnly = { name: 'Order', readOnly: '', rights: {} } as never;

test.each([
  [
    'a site',
    () => refuseOtherOrigin(request, NO_ORIGINS),
    /^Cross-site request rejected\. To allow .* add it to cors\.origins\.$/,
  ],
  ['a dataclass', () => checkRights(readOnly, 'update'), /See readOnly, .* config\.yaml\.$/],
  [
    'a schema',
    () => {
      throw ProtocolError.of('schemaChanged');
    },
    /read the schema\. Run entitygate check, and reload the gateway\.$/,
  ],
])('%s: the log has the advice for the operator, the client the words for it', (_, refuse, log) => {
  const heard: string[] = [];
  const observer = { warned: (text: string) => heard.push(text), errorMet: () => undefined };
  let told = '';
  try {
    refuse();
  } catch (error) {
    reportError(error, observer as unknown as RequestObserver);
    told = (error as ProtocolError).inside('lines[1]').toJsonText();
  }
  expect(told).not.toMatch(/config\.yaml|mapping file|cors\.|entitygate/);
  expect(heard).toEqual([expect.stringMatching(log)]);
});

test('without advice nothing but errors of the gateway is reported', () => {
  const heard: unknown[] = [];
  const observer = {
    warned: (text: string) => heard.push(text),
    errorMet: () => heard.push('err'),
  };
  for (const name of ['badQuery', 'notServed', 'internal'] as const) {
    reportError(new ProtocolError(name, 'so it is'), observer as unknown as RequestObserver);
  }
  expect(heard).toEqual(['err']);
});

function warningOf(filter: string, path = 'A?', verb: 'GET' | 'POST' = 'GET'): string | null {
  const url = `/rest/${path}${filter === '' ? '' : `$filter=${encodeURIComponent(filter)}`}`;
  return mixedFilterWarning(parseRequest(url, verb, defaultLimits, () => false).ast);
}

function about(readAs: string, parameter = '$filter'): string {
  return `A ${parameter} for A joins AND and OR without parentheses. It is read from left to right, as: ${readAs}. Parentheses make it say what is meant.`;
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

  test('of $having', () => {
    const having = about('(n > ? OR sum(t) > ?) AND b', '$having');
    const path = `A?$groupby=b&$aggregate=count as n&$having=n > 1 or sum(t) > 2 and b&`;
    expect(warningOf('', path)).toBe(having);
    expect(warningOf('a OR b AND c', path)).toBe(`${about('(a OR b) AND c')} ${having}`);
  });
});

test.each([
  ...['', 'a', 'a = "x AND y OR z"', 'a AND b AND c', 'a OR b EXCEPT c', 'a OR (b AND c)'],
  ...['(a OR b) AND c', 'NOT (a OR b) AND c'],
])('nothing is said of %j', (filter) => {
  expect(warningOf(filter)).toBeNull();
});

test.each(['$catalog', '$info', 'A(1)'])('nothing is said of %s', (path) => {
  expect(warningOf('', path)).toBeNull();
});
