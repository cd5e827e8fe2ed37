import { expect, test } from 'vitest';
import { defaultLimits } from '../../src/base/limits.ts';
import type { ParsedRequest } from '../../src/protocol/ast.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import { ParsedUrls } from '../../src/protocol/parsed-urls.ts';
import type { Verb } from '../../src/protocol/rest-request.ts';

const isFunction = (_name: string | null, names: readonly string[]): boolean =>
  names.at(-1) === 'raise';

const none = (): boolean => false;

/** URLs of one kind come to what they come to alone, whatever was parsed before. */
function expectAsAlone(urls: readonly string[]): void {
  const parsed = new ParsedUrls(defaultLimits);
  const read = (parse: () => unknown): unknown => {
    try {
      return parse();
    } catch (error) {
      return String(error);
    }
  };
  for (const url of urls) {
    expect(read(() => parsed.parse(url, 'GET', '', isFunction))).toEqual(
      read(() => parseRequest(url, 'GET', defaultLimits, isFunction)),
    );
  }
}

test.each([
  '/rest/Employee(#)',
  '/rest/Employee(#)/',
  '/rest/Employee(#)?$attributes=ID,employer.name&$expand=employer',
  '/rest/Employee(#)?$top=#&$skip=5',
  '/rest/Employee(#)/projects?$filter="ID = 12 and name = \'5\'"&$orderby=name desc',
  '/rest/Employee(#)/projects(#)/name',
  '/rest/Employee(#)/raise',
  '/rest/Employee(#)/salary?$compute=sum',
  '/rest/Employee(#)/photo?$imageformat=best&$version=12&$expand=photo',
  '/rest/Employee#(#)',
  '/rest/Employee(#;#)',
  '/rest/Employee(#,2)',
  '/rest/Employee("#")',
  '/rest/Employee[#]',
  '/rest/Employee(0#)',
  '/rest/Employee(-#)',
  '/rest/Employee(#.5)',
  '/rest/Employee:badge(#)',
  `/rest/Employee(#)/$entityset/${'A'.repeat(45)}#`,
  '/rest/Employee?$top=#&$skip=#&$orderby=name desc&$filter="ID > #"',
  '/rest/Employee?$filter="name = :1"&$params=["x",{}]&$skip=#',
  '/rest/Employee?$filter="name = \'a&$skip=#&b\'"&$top=5',
  '/rest/Employee?$skip=#&$skip=#',
])('each number comes to what it comes to alone: %s', (url) => {
  const numbers = ['5', '6', '5', '9', '12', '21', '99', '123456789012345', '999999999999999'];
  const urls = numbers.map((number) => url.replaceAll('#', number));
  expectAsAlone([...urls, ...urls, ...urls]);
});

const params = [
  ...[['Smith'], ['Jones'], ["O'Neil", 5], ['a\\u0027b', -0.5], ['12', '12'], ['12', '13'], [5, 5]],
  ...[[5, 50], [9, 90], [0], [1e21], ['S@'], ['0!0!0'], [null], [null, 'x'], [true], [false]],
  ...[[['a', 'b']], [['c']], [{}], [], ['+ &#%=', '%']],
].map((values) => JSON.stringify(values));

test.each([
  '/rest/Employee?$filter="lastName = :1"&$params=…',
  '/rest/Employee?$params=…&$filter="lastName = :1 AND ID > :2"&$top=5',
  '/rest/Employee?$filter="lastName = :1 OR firstName = :1"&$params=…&$expand=employer',
  '/rest/Employee?$filter="ID IN :1"&$params=…',
  '/rest/Employee?$filter="lastName = \'&$params=…&\'"',
  '/rest/Employee?$filter="lastName = :1"&$params=\'…\'',
  '/rest/Employee?$filter="lastName = :1"&$params=["x"]&$params=…',
  '/rest/Employee/salary?$compute=sum&$filter="lastName = :1"&$params=…#…',
  '/rest/Employee(7)/projects?$filter="name = :1"&$params=…',
  '/rest/Employee?$search=x&$params=…',
  '/rest/Employee/raise?$params=…',
])('all values come to what they come to alone: %s', (url) => {
  const urls = params.flatMap((text) =>
    [text, encodeURIComponent(text), ` ${text} `].map((written) => url.replaceAll('…', written)),
  );
  expectAsAlone([...urls, ...urls, ...urls.toReversed()]);
});

test.each([
  ['active = true AND a = :1 AND b = :2', '[true,5]', '[false,6]'],
  ["a = 'true' AND b = :1 AND c = :2", '[true,5]', '[false,6]'],
  ['a IN :1 AND b = :2', '[true,"x"]', '[false,"y"]'],
  ['a IN [true, :1] AND b = :2', '[true,5]', '[false,6]'],
  ['a = :1 AND b IN :2', '["a","0!0!0"]', '["b","!!0000-00-00!!"]'],
  ['a = 5 AND b = :1', '[5]', '[6]', '[5]'],
  ["a = 'x' AND b = :1 AND c = x", '["x"]', '["y"]', '["x"]'],
])('values beside parameters stay what they are: %s', (filter, ...values) => {
  expectAsAlone(values.map((text) => `/rest/E?$filter="${filter}"&$params=${text}`));
});

test('a URL is parsed once for all values of the same kinds, and for each verb and user', () => {
  const urls = new ParsedUrls(defaultLimits);
  const parse = (url: string, verb: Verb = 'GET', seen = ''): ParsedRequest['ast'] =>
    urls.parse(`/rest/${url}`, verb, seen, none).ast;
  const number = (id: number): unknown => parse(`A(${id})/b?$compute=sum`);
  expect(number(22)).toBe(number(11));
  expect(number(444)).not.toBe(number(11));
  const filter = (value: string): unknown => parse(`A?$filter="a = :1"&$params=[${value}]`);
  expect(filter('"longer"')).toBe(filter('"x"'));
  expect(filter('5')).not.toBe(filter('"x"'));
  const write = (verb: Verb, seen?: string): unknown => parse('A(5)?$method=delete', verb, seen);
  expect(write('POST')).toBe(write('POST'));
  expect(write('DELETE')).not.toBe(write('POST'));
  expect(write('POST', 'a')).not.toBe(write('POST'));
});

test('what users see other functions under one name comes to is kept apart', () => {
  const urls = new ParsedUrls(defaultLimits);
  const url = '/rest/Employee(5)/raise';
  expect(urls.parse(url, 'GET', 'a', none).ast.kind).not.toBe('call');
  expect(urls.parse(url, 'GET', 'b', isFunction).ast.kind).toBe('call');
});
