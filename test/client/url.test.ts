import { describe, expect, test } from 'vitest';
import { splitUrl } from '../../src/protocol/url/url.ts';
import { filter } from '../../src/client/filter.ts';
import { entityPath, queryText } from '../../src/client/url.ts';

describe('the path of an entity', () => {
  test.each<[unknown, string[], string]>([
    [5, ['ID'], '/D(5)'],
    [9_007_199_254_740_993n, ['ID'], '/D(9007199254740993)'],
    [-3, ['ID'], '/D(-3)'],
    ['Tools', ['code'], '/D(Tools)'],
    ["Men's shoes", ['code'], '/D("Men\'s shoes")'],
    ['6" pipe', ['code'], `/D('6" pipe')`],
    ['AC/DC', ['code'], '/D("AC/DC")'],
    [`a", 'b`, ['code'], `/D('a", 'b')`],
    [`a", b', c`, ['code'], `/D({"code":"a\\", b', c"})`],
    [{ line: 2, orderNo: 7n }, ['orderNo', 'line'], '/D({"orderNo":7,"line":2})'],
    [
      { __KEY: '{"orderNo":7,"line":2}', line: 1 },
      ['orderNo', 'line'],
      '/D({"orderNo":7,"line":2})',
    ],
    [{ __KEY: 'a b' }, ['code'], '/D("a b")'],
  ])('%#', (key, names, path) => {
    expect(decodeURIComponent(entityPath('D', key, names))).toBe(path);
  });

  test.each<[unknown, string[]]>([
    [undefined, ['ID']],
    [null, ['ID']],
    [{}, ['ID']],
    [5, ['a', 'b']],
  ])('is refused for %j', (key, names) => {
    expect(() => entityPath('D', key, names)).toThrow(TypeError);
  });
});

describe('a query', () => {
  test('is read by the gateway as it was meant', () => {
    const parts = filter`a = "x&y" AND b begin ${'O\'R"&=?/#+%'} OR (${filter`c > ${1n} AND t = ":1"`})`;
    const query = queryText({
      $filter: parts,
      $orderby: 'a DESC',
      $top: 5,
      $skip: undefined,
      $clean: true,
    });
    const read = Object.fromEntries(
      splitUrl(`/rest/D${query}`).parameters.map(({ name, value }) => [name, value]),
    );
    expect(read).toEqual({
      $filter: 'a = "x&y" AND b begin :1 OR ((c > :2 AND t = ":1"))',
      $params: '["O\'R\\"&=?/#+%",1]',
      $orderby: 'a DESC',
      $top: '5',
      $clean: 'true',
    });
  });

  test('is nothing where there is nothing to say', () => {
    expect(queryText({ $top: undefined })).toBe('');
  });
});

describe('a filter', () => {
  test('keeps its values apart', () => {
    const { values, texts } = filter`a IN ${[1, 2]} AND b = ${null} AND c = ${new Date(0)}`;
    expect(texts).toEqual(['a IN ', ' AND b = ', ' AND c = ', '']);
    expect(values).toEqual([[1, 2], null, new Date(0)]);
  });

  test('numbers the values of the filters within it', () => {
    const inner = filter`a = ${1} OR b = ${2}`;
    const whole = filter`${inner} AND c = ${3} EXCEPT ${inner}`;
    expect([String(whole), whole.values]).toEqual([
      '(a = :1 OR b = :2) AND c = :3 EXCEPT (a = :4 OR b = :5)',
      [1, 2, 3, 1, 2],
    ]);
  });

  test('refuses a value that is missing', () => {
    expect(() => filter`a = ${undefined as never}`).toThrow('The value behind "a = "');
  });
});
