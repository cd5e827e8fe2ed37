import { expect, test } from 'vitest';
import { parsePath } from '../../../src/protocol/url/path.ts';
import { splitUrl } from '../../../src/protocol/url/url.ts';
import { ValueList } from '../../../src/protocol/url/literals.ts';
import {
  entityPath,
  entitySetPath,
  memberPath,
  withParameters,
} from '../../../src/explorer/rest/url.ts';

test.each([
  ...['1', 'Tools', 'AC/DC', "Men's shoes", 'Cables 1/2"', ' leading blank', 'a=b&c=d?e#f'],
  ...['%20 is not a blank', '"Both" kinds of \'quotes\'', 'a","b', '{"looks":"like a key"}'],
  ...['🎁 Gifts', 'null', 'x)/y'],
])('the gateway reads the key %j as it is', (key) => {
  const values = new ValueList();
  // Browsers escape quotes, and undo nothing.
  const path = new URL(entityPath('Category', key), 'http://h').pathname.slice('/rest'.length);
  const ast = parsePath(path, values);
  expect(ast).toMatchObject({ kind: 'dataclass', name: 'Category', segments: [] });
  expect(values.items[0]?.value).toBe(key);
});

test('a key of several parts is its JSON object', () => {
  expect(entityPath('OrderLine', '{"orderNo":7,"line":2}', true)).toBe(
    '/rest/OrderLine(%7B%22orderNo%22%3A7%2C%22line%22%3A2%7D)',
  );
});

test('paths of members and entity sets', () => {
  expect(memberPath(entityPath('Employee', '5'), 'photo')).toBe('/rest/Employee(5)/photo');
  expect(entitySetPath('Employee', '/rest/Employee/$entityset/0A')).toBe(
    '/rest/Employee/$entityset/0A',
  );
  expect(entitySetPath('Employee', '0A')).toBe('/rest/Employee/$entityset/0A');
});

test('parameters are readable', () => {
  expect(
    withParameters('/rest/Employee', {
      $filter: 'lastName = "O@" & grade>3',
      $attributes: 'ID,employer.name',
      $top: 5,
      $skip: undefined,
    }),
  ).toBe(
    `/rest/Employee?$filter='lastName%20=%20"O@"%20%26%20grade>3'&$attributes=ID,employer.name&$top=5`,
  );
  expect(withParameters('/rest/Employee?$top=5', { $skip: 0 })).toBe(
    '/rest/Employee?$top=5&$skip=0',
  );
  expect(withParameters('/rest/Employee', {})).toBe('/rest/Employee');
});

test.each([
  ...['lastName = "Dubois"', "lastName = 'O''Reilly'", `a = "x" and b = 'y'`, 'a = "x&$top=1"'],
  ...['note % "50%20+#"', '"x" = a & $b', 'ends in "', "'", 'é🎁', ''],
])('the gateway reads the filter %j as it is', (filter) => {
  const url = new URL(withParameters('/rest/Employee', { $filter: filter, $top: 1 }), 'http://h');
  expect(
    splitUrl(url.pathname + url.search).parameters.map(({ name, value }) => [name, value]),
  ).toEqual([
    ['$filter', filter],
    ['$top', '1'],
  ]);
});
