import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../src/base/limits.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import type { Verb } from '../../src/protocol/rest-request.ts';
import { complaint } from './complaint.ts';
import { rows } from '../rows.ts';

const SET = 'A/$entityset/0F';

/** The shape of a request such as `POST A(1)`, of which `fn` is a function. */
function shapeOf(request: string): string {
  const [verb = '', url = ''] = request.split(/ (.*)/);
  const { shape } = parseRequest(`/rest/${url}`, verb as Verb, defaultLimits, (_, names) => {
    return names.at(-1) === 'fn';
  });

  return shape;
}

test.each([
  ['GET A', 'GET A?$top=7', 'GET A?$limit=5&$skip=9', 'GET A?$filter='],
  ['GET A(1)', 'GET A[2]'],
  ['GET A(1,2)', 'GET A(3,4,5)'],
  [`GET ${SET}`, 'GET A/$entityset/X', `HEAD ${SET}`],
  [`GET ${SET}?$findKey=7`, `GET ${SET}?$findKey=8`],
  [`GET ${SET}?$savedfilter="a=1"&$top=3`, 'GET A/$entityset/X?$savedfilter="a=2"&$top=9'],
  ['GET A?$method=entityset&$timeout=1&$skip=3', 'GET A?$method=entityset&$timeout=2&$skip=4'],
  [
    `GET ${SET}?$logicOperator=AND&$otherCollection=0B`,
    `GET ${SET}?$logicOperator=AND&$otherCollection=0C`,
  ],
  ['GET A/b?$compute=sum&$top=3', 'GET A/b?$compute=sum&$top=4'],
  ['GET A/b?$distinct=true&$top=3', 'GET A/b?$distinct=true&$top=4'],
  ['GET A/b/$entityset/X?$compute=sum', 'GET A/$entityset/Y/b?$compute=sum'],
  ['GET A(5)/b?$version=4&$expand=b', 'GET A(5)/b?$version=-17&$expand=b'],
  ["GET A/fn?$params='[1]'&$top=1", 'GET A/fn?$params=\'["a",{}]\'&$top=2'],
  ['GET A?$filter="a=1"', 'GET A?$filter="a  ==  2"'],
  ['GET A?$filter="a IS NOT x"', 'GET A?$filter="a !== y"'],
  ['GET A?$filter="a and b"', 'GET A?$filter="a %26 b"'],
  ['GET A?$filter="a in [1,2,3]"', 'GET A?$filter="a IN (4, 5)"'],
  ['GET A?$filter="a in [1,\'x\']"', 'GET A?$filter="a in [\'y\',2]"'],
])('requests that differ in values and spelling only share a shape: %s', (...requests) => {
  expect(new Set(requests.map(shapeOf)).size).toBe(1);
});

test('no two requests that ask for different things share a shape', () => {
  const requests = [
    ...['A', 'A%2Fb', 'A/b', 'A/b%2Fc', 'A/b/c', 'A:b%2Fc(1)', 'A:b(1)/c', 'A(1)', 'A("1")'],
    ...['A(1,2)', 'A?$orderby=a', 'A?$orderby=a%20desc', 'A?$asArray=true', 'A?$queryplan=true'],
    ...['A?$querypath=true', 'A?$attributes=a', 'A?$expand=a', 'A?$format=csv'],
    ...['a=1', "a='1'", 'b=1', 'a=x', 'a=x*', 'a=null', 'a!=1', 'a in [1]', 'a in [1,null]'].map(
      (filter) => `A?$filter="${filter}"`,
    ),
    ...'a|not a|a and b|a or b|a except b|not (a or b)|not a or b|a.b|a/b|a in [1,2,3,4]|(a or b) and c|a or (b and c)'
      .split('|')
      .map((filter) => `A?$filter="${filter}"`),
    ...[SET, `${SET}?$clean=true`, `${SET}?$findKey=1`, `${SET}?$findKey=1;2`],
    ...[`${SET}?$findKey={"a":1}`, `${SET}?$findKey={"b":1}`, `${SET}?$savedfilter="$all"`],
    ...[`${SET}?$savedfilter="a=1"`, `${SET}?$filter="a=1"`, `${SET}?$method=entityset`],
    ...['A(1)/b?$method=entityset', 'A(1)/b?$method=subentityset', 'A?$method=entityset'],
    ...['a', 'b'].map((order) => `${SET}?$savedfilter="$all"&$savedorderby=${order}`),
    ...['A/b?$compute=sum', 'A/b?$compute=min', 'A/b?$compute=sum&$top=3'],
    ...['A/b?$compute=sum&$skip=3', `${SET}/b?$compute=sum`, 'A/b?$distinct=true'],
    'A/b?$distinct=true&$top=3',
    ...['best', 'png', 'gif'].map((format) => `A(5)/b?$imageformat=${format}&$expand=b`),
    ...['$version=1', '$binary=true'].map((query) => `A(5)/b?${query}&$expand=b`),
    'A/fn',
  ].map((url) => `GET ${url}`);
  const changes = [
    ...['POST A', 'POST A?$method=insert', 'POST A(1)', 'POST A( 1)', 'DELETE A(1)'],
    ...['POST A?$atomic=true', 'POST A?$refresh=true', 'POST A?$asArray=true'],
    ...['POST A(1)/b?$binary=true', 'POST A/fn', 'POST A(1)/fn', 'POST $singleton/B/fn'],
    ...['POST A(1)/b?$method=subentityset&$emMethod=fn', 'POST $singleton/A/fn'],
    ...['POST $catalog/fn', 'POST A/fn?$method=entityset'],
  ];
  const shapes = new Map<string, string>();
  for (const request of [...requests, ...changes]) {
    const shape = shapeOf(request);
    expect([request, shapes.get(shape)]).toEqual([request, undefined]);
    shapes.set(shape, request);
  }
});

describe('the bounds of a request', () => {
  test('are those of the configuration', () => {
    const limits = { ...defaultLimits, maxTop: 50, maxFilterComparisons: 3 };
    const asked = (url: string, verb: Verb = 'GET', own = limits): unknown =>
      complaint(() => parseRequest(`/rest/${url}`, verb, own).values.map(({ value }) => value));
    // What is not said is as much as may be.
    expect([asked('A'), asked('A?$limit=50'), asked('A?$method=entityset')]).toEqual([
      ['answered', '["50","0"]'],
      ['answered', '["50","0"]'],
      ['answered', '["50","0","7200"]'],
    ]);
    expect(asked(`${SET}?$top=51`)).toEqual([
      'badNumber',
      'The value of $top is 51; expected at most 50: read more in pages, by $skip. (at position 1 of $top)',
    ]);
    expect(asked('A?$limit=000999', 'GET', { ...limits, beyondMaxTop: 'shorten' })).toEqual([
      'answered',
      '["50","0"]',
    ]);
    const filter = (count: number): string =>
      encodeURIComponent(Array.from({ length: count }, () => 'a=1').join(' OR '));
    for (const [verb, url, within] of [
      ['GET', 'A?$filter=', '$filter'],
      ['POST', 'A?$atomic=true&$filter=', '$filter'],
      ['DELETE', 'A?$filter=', '$filter'],
      ['GET', 'A?$method=entityset&$savedfilter=', '$savedfilter'],
    ] as const) {
      expect(asked(url + filter(3), verb)).toEqual(['answered', expect.any(String)]);
      expect(asked(url + filter(4), verb)).toEqual([
        'badQuery',
        `The expression holds more than 3 comparisons. (at position 22 of ${within})`,
      ]);
    }
  });

  const list = (count: number): string => Array.from({ length: count }, () => '1').join(',');

  test.each(rows<[url: string, most: string, name: string, message: string]>`
    A?$filter=b IN […]                 | 5000 | badQuery | A list may hold 5000 values, and this has more. (at position 6 of $filter)
    A?$filter=b IN :1&$params=[[…]] | 5000 | badPlaceholder
      | Value 1 of $params is a list of 5001 items; at most 5000 are allowed. (at position 1 of $params)
    A?$filter=b=:1&$params=[…]       | 128  | badPlaceholder | $params holds 129 values; at most 128 are allowed. (at position 1 of $params)
  `)('are as many values: %s', (url, most, name, message) => {
    const parse = (count: number): unknown =>
      parseRequest(`/rest/${url.replace('…', list(count))}`).ast.kind;
    expect(parse(Number(most))).toBe('read');
    expect(complaint(() => parse(Number(most) + 1))).toEqual([name, message]);
  });

  test.each(['()', '[]'])('are as many keys in %s', ([open = '', close = '']) => {
    const keyOf = (count: number): unknown => {
      const { ast } = parseRequest(`/rest/A${open}${list(count)}${close}`);
      const selector = ast.kind === 'read' ? ast.selector : null;
      return selector?.kind === 'key' && selector.key.kind === 'broken'
        ? selector.key.refusal.message
        : selector?.kind;
    };
    expect(keyOf(5000)).toBe('keyList');
    // All of it may be the text of one key.
    expect(keyOf(5001)).toBe(
      'A URL may name 5000 keys, and this names more. (at position 10004 of the path)',
    );
  });
});
