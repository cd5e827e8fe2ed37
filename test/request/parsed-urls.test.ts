import { expect, test } from 'vitest';
import { defaultLimits } from '../../src/base/limits.ts';
import { parseRequest } from '../../src/request/parse.ts';
import { ParsedUrls } from '../../src/request/parsed-urls.ts';

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

test('what is read again and again is read twice, whatever the number', () => {
  const urls = new ParsedUrls(defaultLimits);
  const parse = (number: number): object =>
    urls.parse(`/rest/Employee(${number})`, 'GET', '', none).ast;
  const [first, second, third, fourth] = [parse(11), parse(22), parse(33), parse(44)];
  expect(second).not.toBe(first);
  expect(third).toBe(second);
  expect(fourth).toBe(second);
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
