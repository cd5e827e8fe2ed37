import { describe, expect, test } from 'vitest';
import { parseAttributes, parseExpand, parseOrder } from '../../../src/protocol/url/literals.ts';
import { complaint } from '../complaint.ts';
import { parsed, rows } from '../../rows.ts';

const attribute = (names: string[], star: boolean, position: number): object => ({
  names,
  star,
  position,
});
const term = (names: string[], descending: boolean, position: number): object => ({
  path: { names, position },
  descending,
});

describe('$attributes', () => {
  test.each([
    ['', [attribute([], true, 1)]],
    ['  ', [attribute([], true, 1)]],
    ['*', [attribute([], true, 1)]],
    ['a', [attribute(['a'], false, 1)]],
    [
      ' a , b.c,d.* ',
      [attribute(['a'], false, 2), attribute(['b', 'c'], false, 6), attribute(['d'], true, 10)],
    ],
    ['*,a.b.c.*', [attribute([], true, 1), attribute(['a', 'b', 'c'], true, 3)]],
    ['größe,名前', [attribute(['größe'], false, 1), attribute(['名前'], false, 7)]],
  ])('%j', (text, expected) => {
    expect(parseAttributes(text, '$attributes')).toEqual(expected);
  });

  test.each([
    ['a,', 'Expected an attribute name, but found the end.', 3],
    [',a', 'Expected an attribute name, but found ",a".', 1],
    ['a b', 'Expected a comma or the end, but found "b".', 3],
    ['a..b', 'Expected an attribute name, but found ".b".', 3],
    ['a.*.b', 'Expected a comma or the end, but found ".b".', 4],
    ['a(1)', 'Expected a comma or the end, but found "(1)".', 2],
    ['a\u0001b', 'Expected a comma or the end, but found "\u0001b".', 2],
  ])('%j is none', (text, message, position) => {
    expect(complaint(() => parseAttributes(text, '$attributes'))).toEqual([
      'badAttributeList',
      `${message} (at position ${position} of $attributes)`,
    ]);
  });

  test('of a path count their positions there', () => {
    expect(complaint(() => parseAttributes('a,,b', 'the path', 11))).toEqual([
      'badAttributeList',
      'Expected an attribute name, but found ",b". (at position 13 of the path)',
    ]);
  });
});

describe('$orderby', () => {
  test.each([
    ['', []],
    [' ', []],
    ['a', [term(['a'], false, 1)]],
    [
      'a asc, b.c DESC,d  Desc ',
      [term(['a'], false, 1), term(['b', 'c'], true, 8), term(['d'], true, 17)],
    ],
    ['desc desc', [term(['desc'], true, 1)]],
  ])('%j', (text, expected) => {
    expect(parseOrder(text, '$orderby')).toEqual(expected);
  });

  test.each([
    ['a up', '"up" is not a direction; expected ASC, DESC, a comma or the end.', 3],
    ['a desc b', 'Expected a comma or the end, but found "b".', 8],
    ['a,', 'Expected an attribute name, but found the end.', 3],
    ['*', 'Expected an attribute name, but found "*".', 1],
    ["'a' desc", 'Expected an attribute name, but found "\'a\' desc".', 1],
  ])('%j is none', (text, message, position) => {
    expect(complaint(() => parseOrder(text, '$orderby'))).toEqual([
      'badOrder',
      `${message} (at position ${position} of $orderby)`,
    ]);
  });
});

describe('$expand', () => {
  test.each(rows`
    ${''}      | []
    a          | [{names: [a], position: 1}]
    a, b.c     | [{names: [a], position: 1}, {names: [b, c], position: 4}]
    a.*, b.c.* | [{names: [a], position: 1}, {names: [b, c], position: 6}]
  `)('%j', (text, expected) => {
    expect(parseExpand(text, '$expand')).toEqual(parsed(expected));
  });

  test('of all is none: each relation is named', () => {
    expect(complaint(() => parseExpand('*', '$expand'))).toEqual([
      'badExpandList',
      'Expected an attribute name, but found "*". (at position 1 of $expand)',
    ]);
  });
});
