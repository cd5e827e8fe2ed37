import { describe, expect, test } from 'vitest';
import type { FilterNode } from '../../src/protocol/ast.ts';
import { parseFilter } from '../../src/protocol/filter.ts';
import { ValueList } from '../../src/protocol/url/literals.ts';
import { parseParams } from '../../src/protocol/url/parameter-reader.ts';
import { complaint } from './complaint.ts';

function read(text: string, params?: string): ReturnType<typeof parseFilter> {
  const values = params === undefined ? null : parseParams(params);
  return parseFilter(text, '$filter', { origin: values, values: new ValueList() });
}

/** The tree with all joins in parentheses and each comparison by its attribute's name. */
function joined(node: FilterNode): string {
  switch (node.kind) {
    case 'and':
    case 'or':
    case 'except':
      return `(${joined(node.left)} ${node.kind} ${joined(node.right)})`;
    case 'not':
      return `not ${joined(node.operand)}`;
    case 'flag':
    case 'comparison':
      return node.path.names.join('.');
  }
}

describe('joins', () => {
  test.each([
    ['a and b or c', '((a and b) or c)'],
    ['a or b and c', '((a or b) and c)'],
    ['a or (b and c)', '(a or (b and c))'],
    ['a except b or c except d', '(((a except b) or c) except d)'],
    ['a & b && c | d || e ^ f', '(((((a and b) and c) or d) or e) except f)'],
    ['a&b|c', '((a and b) or c)'],
    ['(((a)))', 'a'],
    ['(a and b)and(c)', '((a and b) and c)'],
    ['not a and b', '(not a and b)'],
    ['not(a and b) or c', '(not (a and b) or c)'],
    ['not not (a)', 'not not a'],
    ['a = 1 and order = 2', '(a and order)'],
    ['a = "x" and b', '(a and b)'],
    ['a = "x"and b', '(a and b)'],
    ['order or android and nothing', '((order or android) and nothing)'],
    ['likes and beginDate or exception', '((likes and beginDate) or exception)'],
    ['$x and a-b or {c} except ?t', '((($x and a-b) or {c}) except ?t)'],
    ['__proto__ and 名前.🚀', '(__proto__ and 名前.🚀)'],
    ['nOt\t(a)\nAnd (b)', '(not a and b)'],
    ['not IN [1] and not in("x") or not in :1', '((not and not) or not)'],
    ['not is null or not is not null', '(not or not)'],
    ['not begin x and not like "x"', '(not and not)'],
    ['not not in [1]', 'not not'],
    ['not in = 1 and not is in [1]', '(not in and not is)'],
    ['not like and not begin or not is', '((not like and not begin) or not is)'],
    ['not like = x & not begin begin x', '(not like and not begin)'],
  ])('%s', (text, expected) => {
    expect(joined(read(text, '[1]').node)).toBe(expected);
  });
});

describe('values', () => {
  test.each([
    ['a = Smith', 'Smith', 'word', 5],
    ['a =   New York  and b', 'New York', 'word', 7],
    ["a = O'Reilly", "O'Reilly", 'word', 5],
    ['a = or and b', 'or', 'word', 5],
    ['a = 12', '12', 'number', 5],
    ['a = 12 apples', '12 apples', 'word', 5],
    ['a = 1e5', '1e5', 'number', 5],
    ['a = 1e', '1e', 'word', 5],
    ['a = NULL', 'NULL', 'null', 5],
    ["a = 'NULL'", 'NULL', 'text', 5],
    ['a = True', 'True', 'boolean', 5],
    ["a = 'true'", 'true', 'text', 5],
    ['a = 2024-01-31', '2024-01-31', 'word', 5],
    ['a = S@', 'S@', 'wild', 5],
    ["a = 'S*'", 'S*', 'wild', 5],
    ["a = 'S*n'", 'S*n', 'text', 5],
    ["a = ''", '', 'text', 5],
    [`a = '" or "'`, '" or "', 'text', 5],
    ['a = "\' and \'"', "' and '", 'text', 5],
    ["a = ' AND x = 1'", ' AND x = 1', 'text', 5],
    ["a = '\\' and b", '\\', 'text', 5],
    ["a\tBEGIN\n'a\nb'", 'a\nb', 'text', 9],
    ["a = 'O'Reilly'", "O'Reilly", 'text', 5],
    ["a = 'a) 'b' (c'", "a) 'b' (c", 'text', 5],
    ['a = "it\'s"', "it's", 'text', 5],
    ["a = 'it\\u0027s'", "it's", 'text', 5],
    ["a = 'it\\\\u0027s'", "it's", 'text', 5],
    ['a = \\u0022x\\u0022', 'x', 'text', 5],
    ['a = \\\\u0027x y\\\\u0027 and b', 'x y', 'text', 5],
    ['a = \\u0027O\\u0027R"eilly\\u0027 and b', `O'R"eilly`, 'text', 5],
    ['a begin\\u0022x\\u0022', 'x', 'text', 8],
    ["a = 'x\\u0027 and b'", "x' and b", 'text', 5],
    ['a = 31!12!2024 and b', '31!12!2024', 'word', 5],
    ['a=!!2024-12-31!!', '!!2024-12-31!!', 'word', 3],
    ['a!=!!2024-12-31!!', '!!2024-12-31!!', 'word', 4],
    ['a = 0!0!0', '0!0!0', 'noDate', 5],
    ['a = 00!00!00', '00!00!00', 'noDate', 5],
    ['a = 0!0!0000', '0!0!0000', 'noDate', 5],
    ['a = !!0000-00-00!!', '!!0000-00-00!!', 'noDate', 5],
    ["a = '!!0000-00-00!!'", '!!0000-00-00!!', 'noDate', 5],
    ['a = 0000-00-00', '0000-00-00', 'noDate', 5],
    ["a = '0!0!0'", '0!0!0', 'noDate', 5],
    ['a like x and b', 'x', 'word', 8],
    ['a like 50%@', '50%@', 'wild', 8],
    ['a = 50%', '50%', 'word', 5],
    ['a begin"x"', 'x', 'text', 8],
    ['a%x', 'x', 'word', 3],
    ['a % 50%', '50%', 'word', 5],
  ])('of %s', (text, value, kind, position) => {
    const values = new ValueList();
    parseFilter(text, '$filter', { origin: null, values });
    expect(values.items).toEqual([{ value, class: kind, within: '$filter', position }]);
  });

  test('of placeholders know where in $params they came from', () => {
    const values = new ValueList();
    parseFilter('a = :2 or b in :1 or c in :2', '$filter', {
      origin: parseParams('[[1,null],"x@"]'),
      values,
    });
    const at = (position: number): object => ({ within: '$params', position });
    const wild = { value: 'x@', class: 'wild', ...at(2) };
    expect(values.items).toEqual([
      wild,
      {
        value: [
          { value: '1', class: 'number', ...at(1) },
          { value: 'null', class: 'null', ...at(1) },
        ],
        class: 'list',
        ...at(1),
      },
      { value: [wild], class: 'list', ...at(2) },
    ]);
  });
});

describe('what is not a filter', () => {
  test('conditions that lie within each other more than 200 deep', () => {
    const turns = (count: number, ...words: string[]): string =>
      Array.from({ length: count }, (_, at) => `${words[at % words.length] ?? ''}a`)
        .join('')
        .slice(1);
    expect(complaint(() => read(turns(201, '|', '&')))[0]).toBe('answered');
    expect(complaint(() => read(turns(500, '|')))[0]).toBe('answered');
    expect(complaint(() => read(turns(500, '^')))[0]).toBe('answered');
    expect(complaint(() => read(turns(202, '|', '&')))).toEqual([
      'badQuery',
      'AND, OR, EXCEPT and NOT lie within each other more than 200 levels deep, as they are read from left to right: put together what one of them joins. (at position 1 of $filter)',
    ]);
    const negated = `NOT (${turns(150, '|', '&')})`;
    expect(complaint(() => read(`${turns(50, '|', '&')} | ${negated}`))[0]).toBe('answered');
    expect(complaint(() => read(`NOT (${turns(60, '|', '&')} & ${negated})`))[0]).toBe('answered');
    expect(complaint(() => read(`NOT (${turns(201, '|', '&')})`))[0]).toBe('badQuery');
  });

  test('more than 500 comparisons, and more than 64 levels', () => {
    const comparisons = (count: number): string => Array(count).fill('a').join('&');
    const levels = (count: number): string => '('.repeat(count) + 'a' + ')'.repeat(count);
    expect(complaint(() => read(comparisons(500)))[0]).toBe('answered');
    expect(complaint(() => read(levels(64)))[0]).toBe('answered');
    expect(complaint(() => read(comparisons(501)))).toEqual([
      'badQuery',
      'The expression holds more than 500 comparisons. (at position 1001 of $filter)',
    ]);
    expect(complaint(() => read(levels(65)))).toEqual([
      'badQuery',
      'The expression is nested deeper than 64 levels. (at position 66 of $filter)',
    ]);
  });
});
