import { expect, test } from 'vitest';
import { defaultLimits } from '../../src/base/limits.ts';
import type { ParsedRequest } from '../../src/protocol/ast.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import { ParsedUrls } from '../../src/protocol/parsed-urls.ts';

const isFunction = (_name: string | null, names: readonly string[]): boolean =>
  names.at(-1) === 'raise';

const none = (): boolean => false;

/** URLs of a kind: what is named by a number, with other numbers in its place. */
const kinds: readonly ((number: string) => string)[] = [
  (n) => `/rest/Employee(${n})`,
  (n) => `/rest/Employee(${n})/`,
  (n) => `/rest/Employee(${n})?$attributes=ID,employer.name&$expand=employer`,
  (n) => `/rest/Employee(${n})?$top=${n}&$skip=5`,
  () => '/rest/Employee(7)?$top=7&$skip=5',
  (n) => `/rest/Employee(${n})/projects?$filter="ID = 12 and name = '5'"&$orderby=name desc`,
  (n) => `/rest/Employee(${n})/projects(${n})/name`,
  (n) => `/rest/Employee(${n})/raise`,
  (n) => `/rest/Employee(${n})/salary?$compute=sum`,
  (n) => `/rest/Employee(${n})/photo?$imageformat=best&$version=12&$expand=photo`,
  (n) => `/rest/Employee${n}(${n})`,
  (n) => `/rest/Employee(${n};${n})`,
  (n) => `/rest/Employee(${n},2)`,
  (n) => `/rest/Employee("${n}")`,
  (n) => `/rest/Employee[${n}]`,
  (n) => `/rest/Employee(0${n})`,
  (n) => `/rest/Employee(-${n})`,
  (n) => `/rest/Employee(${n}.5)`,
  (n) => `/rest/Employee:badge(${n})`,
  (n) => `/rest/Employee(${n})/$entityset/${n.padStart(46, 'A')}`,
  (n) => `/rest/Employee?$skip=${n}&$top=100`,
  (n) => `/rest/Employee?$top=100&$skip=${n}`,
  (n) => `/rest/Employee?$top=${n}&$skip=${n}&$orderby=name desc&$filter="ID > ${n}"`,
  (n) => `/rest/Employee?$filter="name = :1"&$params=["x",{}]&$skip=${n}`,
  (n) => `/rest/Employee?$filter="name = 'a&$skip=${n}&b'"&$top=5`,
  (n) => `/rest/Employee?$skip=${n}&$skip=${n}`,
  (n) => `/rest/Employee?$skip=0${n}`,
  (n) => `/rest/Employee?$skip=${n}.5`,
  (n) => `/rest/Employee?$method=entityset&$skip=${n}`,
  (n) => `/rest/Employee/$entityset/${'A'.repeat(32)}?$skip=${n}`,
  (n) => `/rest/Employee?$format=csv&$skip=${n}`,
  (n) => `/rest/Employee(7)/projects?$skip=${n}`,
  (n) => `/rest/Employee/salary?$compute=sum&$skip=${n}`,
  () => '/rest/Employee?$top=5',
  () => '/rest/$catalog/Employee',
];

/** URLs of a kind, with other values of a filter in the place of the last ones. */
const withParams: readonly ((params: string) => string)[] = [
  (p) => `/rest/Employee?$filter="lastName = :1"&$params=${p}`,
  (p) => `/rest/Employee?$params=${p}&$filter="lastName = :1 AND ID > :2"&$top=5`,
  (p) => `/rest/Employee?$filter="lastName = :1 OR firstName = :1"&$params=${p}&$expand=employer`,
  (p) => `/rest/Employee?$filter="ID IN :1"&$params=${p}`,
  (p) => `/rest/Employee?$filter="lastName = '&$params=${p}&'"`,
  (p) => `/rest/Employee?$filter="lastName = :1"&$params='${p}'`,
  (p) => `/rest/Employee?$filter="lastName = :1"&$params=["x"]&$params=${p}`,
  (p) => `/rest/Employee/salary?$compute=sum&$filter="lastName = :1"&$params=${p}#${p}`,
  (p) => `/rest/Employee(7)/projects?$filter="name = :1"&$params=${p}`,
  (p) => `/rest/Employee?$search=x&$params=${p}`,
  (p) => `/rest/Employee/raise?$params=${p}`,
];

/** Filters with values of their own that equal parameters, and parameters that follow each other. */
const beside: readonly (readonly [filter: string, ...params: string[]])[] = [
  ['active = true AND a = :1 AND b = :2', '[true,5]', '[false,6]'],
  ["a = 'true' AND b = :1 AND c = :2", '[true,5]', '[false,6]'],
  ['a IN :1 AND b = :2', '[true,"x"]', '[false,"y"]'],
  ['a IN [true, :1] AND b = :2', '[true,5]', '[false,6]'],
  ['a = :1 AND b IN :2', '["a","0!0!0"]', '["b","!!0000-00-00!!"]'],
  ['a = 5 AND b = :1', '[5]', '[6]', '[5]'],
  ["a = 'x' AND b = :1 AND c = x", '["x"]', '["y"]', '["x"]'],
];

test.each(beside)('values beside parameters stay what they are: %s', (filter, ...params) => {
  const urls = new ParsedUrls(defaultLimits);
  for (const text of params) {
    const url = `/rest/E?$filter="${filter}"&$params=${text}`;
    expect(urls.parse(url, 'GET', '', none)).toEqual(parseRequest(url, 'GET', defaultLimits, none));
  }
});

const params = [
  ['Smith'],
  ['Jones'],
  ["O'Neil", 5],
  ['a\\u0027b', -0.5],
  ['12', '12'],
  ['12', '13'],
  [5, 5],
  [5, 50],
  [9, 90],
  [0],
  [1e21],
  ['S@'],
  ['0!0!0'],
  [null],
  [null, 'x'],
  [true],
  [false],
  [['a', 'b']],
  [['c']],
  [{}],
  [],
  ['+ &#%=', '%'],
].map((values) => JSON.stringify(values));

test.each(withParams.map((url) => [url('…'), url] as const))(
  'all values come to what they come to alone: %s',
  (_title, url) => {
    const urls = new ParsedUrls(defaultLimits);
    const written = params.flatMap((text) => [text, encodeURIComponent(text), ` ${text} `]);
    for (const text of [...written, ...written, ...written.toReversed()]) {
      const one = url(text);
      expect(read(() => urls.parse(one, 'GET', '', isFunction))).toEqual(
        read(() => parseRequest(one, 'GET', defaultLimits, isFunction)),
      );
    }
  },
);

test('a URL with $params is parsed once for all values of the same kinds', () => {
  const urls = new ParsedUrls(defaultLimits);
  const parse = (...values: unknown[]): ParsedRequest => {
    const given = encodeURIComponent(JSON.stringify(values));
    return urls.parse(`/rest/E?$filter="a = :1 AND b > :2"&$params=${given}`, 'GET', '', none);
  };
  const [first, second, otherKind] = [parse('x', 5), parse('longer', 17), parse('x', '5')];
  expect(second.ast).toBe(first.ast);
  expect(second.values.map(({ value }) => value)).toEqual(['longer', '17', '100', '0']);
  expect(otherKind.ast).not.toBe(first.ast);
});

test('the URL of a write is parsed once', () => {
  const urls = new ParsedUrls(defaultLimits);
  const parse = (verb: 'POST' | 'DELETE', seen = ''): ParsedRequest =>
    urls.parse('/rest/Employee(5)?$method=delete', verb, seen, none);
  const [first, again, otherVerb, otherUser] = [
    parse('POST'),
    parse('POST'),
    parse('DELETE'),
    parse('POST', 'a'),
  ];
  expect(again).toBe(first);
  expect(otherVerb).not.toBe(first);
  expect(otherUser).not.toBe(first);
});

const numbers = ['5', '6', '5', '9', '12', '21', '99', '123456789012345', '999999999999999'];

function read(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    return String(error);
  }
}

test.each(kinds.map((url) => [url('1'), url] as const))(
  'each number comes to what it comes to alone: %s',
  (_title, url) => {
    const urls = new ParsedUrls(defaultLimits);
    for (const number of [...numbers, ...numbers, ...numbers]) {
      const one = url(number);
      expect(read(() => urls.parse(one, 'GET', '', isFunction))).toEqual(
        read(() => parseRequest(one, 'GET', defaultLimits, isFunction)),
      );
    }
  },
);

test.each([
  (number: number): string => `/rest/Employee(${number})`,
  (number: number): string => `/rest/Employee(${number})?$attributes=ID`,
  (number: number): string => `/rest/Employee(${number})/salary?$compute=sum`,
])('a URL is parsed once for all numbers of as many digits', (url) => {
  const urls = new ParsedUrls(defaultLimits);
  const parse = (number: number): ParsedRequest => urls.parse(url(number), 'GET', '', none);
  const [first, second, third, longer] = [parse(11), parse(22), parse(33), parse(444)];
  expect([second.ast, third.ast]).toEqual([first.ast, first.ast]);
  expect(second.ast).toBe(first.ast);
  expect(third.ast).toBe(first.ast);
  expect(longer.ast).not.toBe(first.ast);
  expect(third.values).toEqual(parseRequest(url(33), 'GET', defaultLimits, none).values);
});

test('what users see other functions under one name comes to is kept apart', () => {
  const urls = new ParsedUrls(defaultLimits);
  const url = '/rest/Employee(5)/raise';
  expect(urls.parse(url, 'GET', 'a', none).ast.kind).not.toBe('call');
  expect(urls.parse(url, 'GET', 'b', isFunction).ast.kind).toBe('call');
});
