import { ProtocolError } from '../../../src/base/errors.ts';
import { expect, test } from 'vitest';
import { defaultLimits } from '../../../src/base/limits.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { ParsedUrls } from '../../../src/protocol/url/parsed-urls.ts';

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

/** URLs of a kind: a filter with values, and what its values are in the URL. */
const filters: readonly ((values: string) => string)[] = [
  (values) => `/rest/Employee?$filter="lastName = :1"&$params=${values}`,
  (values) => `/rest/Employee?$params=${values}&$filter="lastName = :1"&$top=5`,
  (values) => `/rest/Employee?$filter=lastName%20%3D%20:1%20and%20ID%20%3E%20:2&$params=${values}`,
  (values) =>
    `/rest/Employee?$filter="lastName = :2 or lastName = :1 or ID = :2"&$params=${values}`,
  (values) => `/rest/Employee?$filter="lastName = :1 and ID IN :2"&$params=${values}`,
  (values) => `/rest/Employee?$filter="lastName = 'x&$params=${values}'"`,
  (values) => `/rest/Employee?$filter="lastName = :1"&$params=${values}&$params=["b"]`,
  (values) => `/rest/Employee?$params=["b"]&$filter="lastName = :1"&$params=${values}`,
  (values) => `/rest/Employee?$filter="lastName = :1"&$params=${values}&$savedfilter="params = 1"`,
  (values) => `/rest/Employee?$filter="ID IN [:1]"&$params=${values}`,
  (values) => `/rest/Employee?$filter="lastName IN (:1, 'x', :2) OR ID = :1"&$params=${values}`,
  (values) => `/rest/Employee?$filter="lastName='%26x' OR lastName='&$params=${values}&'"`,
  (values) =>
    `/rest/Employee?$filter='lastName=:1 OR email="%26&$params=${values}&"'&$par%61ms=[7]&$top=3`,
  (values) => `/rest/Employee?$par%61ms=["Smith"]&$filter="lastName = :1"&$params=${values}`,
  (values) => `/rest/Employee?$params=${values}`,
  (values) => `/rest/Employee(5)/projects?$filter="name = :1"&$params=${values}`,
  (values) => `/rest/Employee/raise?$params=${values}`,
  (values) => `/rest/Employee?$filter="lastName begin :1"&$params="${values}"`,
];

const valueLists = [
  ...['["Smith"]', '["Jones"]', '%5B%22Smith%22%5D', '%5B%22Brown%22%5D', '["O_Neil-2"]', '["a"]'],
  ...['[1]', '[2]', '[123456789012345]', '[0]', '[-1]', '[1.5]', '[007]', '["1"]', '[""]', '[]'],
  ...['["Smith",5]', '["Jones",7]', '%5B%22Jones%22%2C7%5D', '["Jones"%2C8]', '[5,"Smith"]'],
  ...['["a","b"]', '["c","d"]', '["a",]', '[,"a"]', '["a" "b"]', '["a""b"]', '["a"5]', '[1,2,3]'],
  ...[
    '["Sm@"]',
    '["Sm*"]',
    '["null"]',
    '["true"]',
    '[null]',
    '[true]',
    '["x y"]',
    '["a+b"]',
    '["é"]',
  ],
  ...['["\\u0041"]', '["%41"]', '["a%22]', '["a"]]', '["0-0-0"]', '["a"]#x', "['a']", '["a"]'],
  ...['["a%20b"]', '["Comp%20%5C%227%5C%22%20%26%20Sons"]', '%5B%22x%5C%22%22%5D', '["a%5C%5C"]'],
  ...['["a%2Cb","c%2Fd"]', '["a%3Ab.c"%2C"d"]', '["a%C3%A9"]', '["a%CF%BF%20"]', '["a%C2%A0"]'],
  ...[
    '["a%C3"]',
    '["a%C3%"]',
    '["a%e9"]',
    '["a%22,%22b"]',
    '["a%5C%22,"]',
    '["a\\"]',
    '["a%5C%22"]',
  ],
  ...['["a%40"]', '["a%2A"]', '["a%27"]', '["a%25"]', '["a%2520"]', '["a%0A"]', '["a%26$top=1"]'],
  ...['[["a","b"]]', '["Smith",[1,2]]', `["${'a'.repeat(60)}"]`, `["${'a'.repeat(61)}"]`],
];

test.each(filters.map((url) => [url('…'), url] as const))(
  'all values come to what they come to alone: %s',
  (_title, url) => {
    const urls = new ParsedUrls(defaultLimits);
    for (const values of [...valueLists, ...valueLists.toReversed(), ...valueLists]) {
      const one = url(values);
      expect([one, read(() => urls.parse(one, 'GET', '', isFunction))]).toEqual([
        one,
        read(() => parseRequest(one, 'GET', defaultLimits, isFunction)),
      ]);
    }
  },
);

test.each([
  (value: string) => value,
  (value: string) => `Comp%C3%A4ny%20%5C%22${value}%5C%22%20%26%20Sons`,
])(
  'what a filter is given plainly is read three times: for itself, and once beside other values',
  (wordOf) => {
    const urls = new ParsedUrls(defaultLimits);
    let asked = 0;
    const counting = (): boolean => {
      asked += 1;
      return false;
    };
    const parse = (value: string): void => {
      const url = `/rest/Employee/raise?$filter="lastName = :1"&$params=["${wordOf(value)}"]`;
      read(() => urls.parse(url, 'GET', '', counting));
    };
    parse('a');
    const once = asked;
    expect(once).toBeGreaterThan(0);
    for (const value of ['b', 'c', 'd', 'e']) parse(value);
    expect(asked).toBe(3 * once);
  },
);

test.each([
  (number: number): string => `/rest/Employee(${number})`,
  (number: number): string => `/rest/Employee?$skip=${number}&$top=100`,
])('what is read again and again is read twice, whatever the number', (url) => {
  const urls = new ParsedUrls(defaultLimits);
  const parse = (number: number): object => urls.parse(url(number), 'GET', '', none).ast;
  const [first, second, third, fourth] = [parse(11), parse(22), parse(33), parse(44)];
  expect(second).not.toBe(first);
  expect(third).toBe(second);
  expect(fourth).toBe(second);
});

test.each([
  (value: string) => `/rest/Employee(${value})?$attributes=ID`,
  (value: string) => `/rest/Employee(${value})/salary?$compute=sum`,
  (value: string) => `/rest/Employee?$skip=${value}&$orderby=name`,
  (value: string) => `/rest/Employee/$entityset/${'A'.repeat(32)}?$skip=${value}`,
  (value: string) => `/rest/Employee?$filter="ID = :1"&$params=[${value}]`,
  (value: string) => `/rest/Employee?$filter="ID = :1"&$params=["A${value}"]`,
  (value: string) => `/rest/Employee/salary?$compute=$all&$filter="ID <= :1"&$params=[${value}]`,
  (value: string) => `/rest/Employee?$method=entityset&$filter="ID <= :1"&$params=[${value}]`,
])('what two of a kind come to is kept for the others: %s', (url) => {
  const urls = new ParsedUrls(defaultLimits);
  const [, second, third] = ['11', '12', '13'].map((value) =>
    urls.parse(url(value), 'GET', '', none),
  );
  expect(third?.ast).toBe(second?.ast);
  expect(third?.values).not.toEqual(second?.values);
});

test('the URL of a write is read once, for each verb and whoever sees other functions', () => {
  const urls = new ParsedUrls(defaultLimits);
  const url = '/rest/Employee(5)?$method=update&$attributes=lastName';
  const first = urls.parse(url, 'POST', '', none);
  expect(first).toEqual(parseRequest(url, 'POST', defaultLimits, none));
  expect(urls.parse(url, 'POST', '', none)).toBe(first);
  expect(urls.parse(url, 'POST', 'a', none)).not.toBe(first);
  const deleting = '/rest/Employee(5)';
  for (const verb of ['DELETE', 'POST', 'PUT', 'HEAD', 'GET'] as const) {
    for (let time = 0; time < 3; time += 1) {
      expect(urls.parse(deleting, verb, '', none)).toEqual(
        parseRequest(deleting, verb, defaultLimits, none),
      );
    }
  }
  const long = `${url}&$params=["${'a'.repeat(300)}"]`;
  expect(urls.parse(long, 'POST', '', none)).not.toBe(urls.parse(long, 'POST', '', none));
  const wrong = (): unknown => urls.parse('/rest/Employee?$method=nothing', 'POST', '', none);
  expect(wrong).toThrow(ProtocolError);
  expect(wrong).toThrow(ProtocolError);
});

test('who sees other functions, and other verbs, have their own', () => {
  const urls = new ParsedUrls(defaultLimits);
  for (const number of [1, 2, 3, 4]) {
    const url = `/rest/Employee(${number})/raise`;
    expect(urls.parse(url, 'GET', 'a', isFunction).ast.kind).toBe('call');
    expect(urls.parse(url, 'GET', 'b', none).ast.kind).toBe('read');
    expect(() => urls.parse(url, 'DELETE', 'b', none)).toThrow();
  }
});

test('long URLs are not kept', () => {
  const urls = new ParsedUrls(defaultLimits);
  const url = `/rest/Employee(1)?$filter="lastName = ${'x'.repeat(300)}"`;
  const asts = [1, 2, 3, 4].map(() => urls.parse(url, 'GET', '', none).ast);
  expect(new Set(asts).size).toBe(4);
});
