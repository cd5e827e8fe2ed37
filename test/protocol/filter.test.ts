import { describe, expect, test } from 'vitest';
import type { FilterNode } from '../../src/protocol/ast.ts';
import { parseFilter } from '../../src/protocol/filter.ts';
import { ValueList } from '../../src/protocol/url/literals.ts';
import { parseParams } from '../../src/protocol/url/parameter-reader.ts';
import { complaint } from './complaint.ts';
import { rows } from '../rows.ts';

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
  const comparators =
    'expected one of =, ==, ===, !=, #, !==, <, <=, >, >=, %, IN, IS, IS NOT, begin, like.';

  test.each(rows`
    a =                   | badQuery                | Expected a value, but found the end. | 4
    = 1                   | badQuery                | Expected an attribute name, but found "= 1". | 1
    a and                 | badQuery                | Expected an attribute name, but found the end. | 6
    (a                    | badQuery                | Expected AND, OR, EXCEPT or a closing parenthesis, but found the end. | 3
    a)                    | badQuery                | Expected AND, OR, EXCEPT or the end of the expression, but found ")". | 2
    a.b. = 1              | badQuery                | "a.b." is not an attribute path: a name is missing beside a dot. | 1
    a like 'Ch%'          | badQuery                | The wildcard is @, not %. Did you mean Ch@? | 8
    b LIKE %x% and c      | badQuery                | The wildcard is @, not %. Did you mean @x@? | 8
    a <> 1                | badComparator           | "<>" is not a comparator. Did you mean !=? | 3
    a eq 1                | badComparator           | "eq" is not a comparator. Did you mean =? | 3
    a = 1 and b.c GE 1    | badComparator           | "GE" is not a comparator. Did you mean >=? | 15
    a => 1                | badComparator           | "=>" is not a comparator. Did you mean >=? | 3
    a BETWEEN 1 AND 2     | badComparator           | "BETWEEN" is not a comparator. Did you mean attribute >= low AND attribute <= high? | 3
    NOT startsWith(a,'x') | badComparator           | "startsWith" is not a comparator. Did you mean attribute begin text? | 5
    a NOT IN [1]          | badComparator           | "NOT" is not a comparator. Did you mean NOT (attribute = value)? | 3
    tolower(a) = x        | badComparator           | "tolower" is not a comparator; ${comparators} | 1
    a constructor 1       | badComparator           | "constructor" is not a comparator; ${comparators} | 3
    a ~ 1                 | badComparator           | "~" is not a comparator; ${comparators} | 3
    a contains x          | badComparator           | "contains" is not a comparator. Did you mean attribute % text? | 3
    a = 1!1!              | badQuery                | Expected AND, OR, EXCEPT or the end of the expression, but found "!1!". | 6
    a = \\u0022x"         | unclosedDoubleQuote     | The quote \\u0022 that opens a value is not closed. | 5
    a = 'x                | unclosedSingleQuote     | The quote ' that opens a value is not closed. | 5
    a = x and "y" and b   | badQuery                | Expected an attribute name, but found ""y" and b". | 11
    a = "x                | unclosedDoubleQuote     | The quote " that opens a value is not closed. | 5
    a in 1                | badQuery                | Expected a list such as [1, 2] or a placeholder, but found "1". | 6
    a in [1               | badQuery                | Expected a comma or ], but found the end. | 8
    a in [1,]             | badQuery                | Expected a value, but found "]". | 9
    a = 1 and eval(b)     | notServed               | eval(…) is not served by this version of the gateway. | 11
    a=eval(x)             | notServed               | eval(…) is not served by this version of the gateway. | 3
    a != Eval (x)         | notServed               | eval(…) is not served by this version of the gateway. | 6
    a in eval(x)          | notServed               | eval(…) is not served by this version of the gateway. | 6
    a in [1, eval(x)]     | notServed               | eval(…) is not served by this version of the gateway. | 10
    a = :1                | placeholderWithoutValue | There is a placeholder :1 but no $params. | 5
    a = :x                | badPlaceholder          | ":" is not a placeholder; expected :1, :2 and so on (text that begins with a colon needs quotes). | 5
    a = :0                | badPlaceholder          | ":0" is not a placeholder; expected :1, :2 and so on (text that begins with a colon needs quotes). | 5
  `)('%s', (text, name, message, position) => {
    expect(complaint(() => read(text))).toEqual([
      name,
      `${message} (at position ${position} of $filter)`,
    ]);
  });

  test('a placeholder past the end of $params', () => {
    expect(complaint(() => read('a = :3', '[1,2]'))).toEqual([
      'placeholderWithoutValue',
      'Placeholder :3 has no value; $params holds 2. (at position 5 of $filter)',
    ]);
  });

  test('a list where one value is expected', () => {
    expect(complaint(() => read('a = :1', '[[1,2]]'))).toEqual([
      'badQuery',
      'A list of values needs IN, not =. (at position 5 of $filter)',
    ]);
  });

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

describe('shapes', () => {
  test.each([
    ['a=1', 'a  ==  2'],
    ['a IS NOT x', 'a !== y'],
    ['a and b', 'a & b'],
    ['NOT(a)', 'not (a)'],
    ['a in [1,2,3]', 'a IN (4, 5)'],
    ['a in [1,"x"]', 'a in ["y",2]'],
  ])('of %s and %s are equal where only values and spelling differ', (one, other) => {
    expect(read(one).shape).toBe(read(other).shape);
  });

  test.each([
    ['a=1', "a='1'"],
    ['a=x', "a='x'"],
    ['a=1', 'b=1'],
    ['a=x', 'a=x*'],
    ['a=1', 'a=null'],
    ['a=1', 'a!=1'],
    ['a in [1]', 'a in [1,null]'],
    ['a in [1,2,3]', 'a in [1,2,3,4]'],
    ['(a or b) and c', 'a or (b and c)'],
    ['a.b', 'a/b'],
  ])('of %s and %s differ', (one, other) => {
    expect(read(one).shape).not.toBe(read(other).shape);
  });
});
