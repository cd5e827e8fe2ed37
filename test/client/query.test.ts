import { describe, expect, test } from 'vitest';
import { splitUrl } from '../../src/protocol/url/url.ts';
import { filter, type FilterParameter, keyText, queryText } from '../../src/client/query.ts';

describe('a key', () => {
  test.each<[unknown, string[], string]>([
    [5, ['ID'], '(5)'],
    [9_007_199_254_740_993n, ['ID'], '(9007199254740993)'],
    [-3, ['ID'], '(-3)'],
    ['Tools', ['code'], '(Tools)'],
    ["Men's shoes", ['code'], '("Men\'s shoes")'],
    ['6" pipe', ['code'], '("6" pipe")'],
    ['AC/DC', ['code'], '("AC/DC")'],
    [`a", 'b`, ['code'], `('a", 'b')`],
    [`5', 6"`, ['code'], `("5', 6"")`],
    [{ line: 2, orderNo: 7n }, ['orderNo', 'line'], '({"orderNo":7,"line":2})'],
    [{ __KEY: '{"orderNo":7,"line":2}', line: 1 }, ['orderNo', 'line'], '({"orderNo":7,"line":2})'],
    [{ __KEY: 'a b' }, ['code'], '("a b")'],
  ])('%#', (key, names, path) => {
    expect(decodeURIComponent(keyText(key, names))).toBe(path);
  });

  test.each<[unknown, string[]]>([
    [undefined, ['ID']],
    [null, ['ID']],
    [{}, ['ID']],
    [5, ['a', 'b']],
    [{ a: 5 }, ['a', 'b']],
    [5, []],
  ])('is refused for %j', (key, names) => {
    expect(() => keyText(key, names)).toThrow(TypeError);
  });
});

describe('a query', () => {
  test('is read by the gateway as it was meant', () => {
    const parts = filter`a = "x&y" AND b begin ${'O\'R"&=?/#+%'} OR (${filter`c > ${1n} AND t = ":1"`})`;
    const query = queryText(
      { filter: parts, orderby: 'a DESC', top: 5, attributes: 'a, b.*' },
      { $clean: true, $timeout: undefined },
    );
    const read = Object.fromEntries(
      splitUrl(`/rest/D${query}`).parameters.map(({ name, value }) => [name, value]),
    );
    expect(read).toEqual({
      $filter: 'a = "x&y" AND b begin :1 OR ((c > :2 AND t = ":1"))',
      $params: '["O\'R\\"&=?/#+%",1]',
      $orderby: 'a DESC',
      $top: '5',
      $attributes: 'a, b.*',
      $clean: 'true',
    });
  });

  test('is nothing where there is nothing to say', () => {
    expect(queryText({ top: undefined })).toBe('');
  });
});

describe('a filter', () => {
  test('keeps its values apart', () => {
    const values: FilterParameter[] = [];
    const text = filter`a IN ${[1, 2]} AND b = ${null} AND c = ${new Date(0)}`.write(values);
    expect(text).toBe('a IN :1 AND b = :2 AND c = :3');
    expect(values).toEqual([[1, 2], null, new Date(0)]);
  });

  test('numbers the values of the filters within it', () => {
    const inner = filter`a = ${1} OR b = ${2}`;
    const values: FilterParameter[] = [];
    expect(filter`${inner} AND c = ${3} EXCEPT ${inner}`.write(values)).toBe(
      '(a = :1 OR b = :2) AND c = :3 EXCEPT (a = :4 OR b = :5)',
    );
    expect(values).toEqual([1, 2, 3, 1, 2]);
  });

  test('refuses a value that is missing', () => {
    expect(() => filter`a = ${undefined as never}`).toThrow('The value behind "a = "');
  });
});
