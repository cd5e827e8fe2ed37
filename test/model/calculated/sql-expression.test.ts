import { describe, expect, test } from 'vitest';
import { readExpression, type SqlDialect } from '../../../src/model/calculated/sql-expression.ts';

/** The text of an expression, its columns in braces; or, behind an exclamation mark, what is wrong with it. */
function read(text: string, dialect: SqlDialect, functions: readonly string[] = []): string {
  const parts = readExpression(text, { dialect, functions });
  if (typeof parts === 'string') return `! ${parts}`;
  return parts
    .map((part) => (typeof part === 'string' ? part : `{${part.isQuoted ? '=' : ''}${part.name}}`))
    .join('');
}

describe('T-SQL', () => {
  test.each([
    [
      "CASE WHEN DATEDIFF(year, BIRTH_DT, GETDATE()) < 30 THEN 'young' ELSE 'senior' END",
      "CASE WHEN DATEDIFF(year, {BIRTH_DT}, GETDATE()) < 30 THEN 'young' ELSE 'senior' END",
    ],
    [`[FIRST NM] + N' ' + "LAST""NM"`, `{=FIRST NM} + N' ' + {=LAST"NM}`],
    ['[a]]b] * 2', '{=a]b} * 2'],
    ['CONVERT(varchar(10), X, 120)', 'CONVERT(varchar(10), {X}, 120)'],
    ['CONVERT(int, X)', 'CONVERT(int, {X})'],
    ['ISNULL(A, 0) * CAST(B AS decimal(10,2))', 'ISNULL({A}, 0) * CAST({B} AS decimal(10,2))'],
    ['DATEADD(day, -1, [day])', 'DATEADD(day, -1, {=day})'],
    ['DATEPART(year, year)', 'DATEPART(year, {year})'],
    [
      "A LIKE N'it''s%' AND B IN (1, 2) OR NOT C IS NULL",
      "{A} LIKE N'it''s%' AND {B} IN (1, 2) OR NOT {C} IS NULL",
    ],
    ['A COLLATE Latin1_General_CI_AS', '{A} COLLATE Latin1_General_CI_AS'],
    ['CURRENT_TIMESTAMP', 'CURRENT_TIMESTAMP'],
    ["'A' + A", "'A' + {A}"],
    ["'--' + A + '/* ; */'", "'--' + {A} + '/* ; */'"],
    ['A + A', '{A} + {A}'],
  ])('%s', (text, expected) => {
    expect(read(text, 'tsql')).toBe(expected);
  });
});

describe('PostgreSQL', () => {
  test.each([
    ['extract(year from age(birth_dt))::int', 'extract(year from age({birth_dt}))::int'],
    [`first_nm || ' ' || coalesce("Last", '')`, `{first_nm} || ' ' || coalesce({=Last}, '')`],
    ["a + interval '1 day'", "{a} + interval '1 day'"],
    ["a at time zone 'UTC'", "{a} at time zone 'UTC'"],
    ["trim(both ' ' from a)", "trim(both ' ' from {a})"],
    ["position('x' in a)", "position('x' in {a})"],
    ["a ->> 'b' ~ 'x'", "{a} ->> 'b' ~ 'x'"],
    ['round(a::numeric(10, 2), 1)', 'round({a}::numeric(10, 2), 1)'],
    ['case a when 1 then true else b end', 'case {a} when 1 then true else {b} end'],
    ['current_date - a', 'current_date - {a}'],
    ['-a', '-{a}'],
  ])('%s', (text, expected) => {
    expect(read(text, 'postgres')).toBe(expected);
  });
});

describe.each(['postgres', 'tsql'] as const)('refuses in %s', (dialect) => {
  test.each([
    ['', 'is empty'],
    ['A; DROP TABLE T', 'has ; at position 2, which no expression here may have'],
    ['A -- B', 'has -- at position 3, which no expression here may have'],
    ['A /* B */', 'has /* at position 3, which no expression here may have'],
    ['A) FROM T WHERE (1 = 1', 'closes a parenthesis that it does not open'],
    ['(A', 'opens a parenthesis that it does not close'],
    ["'A", "has ' at position 1, which no expression here may have"],
    ['@x', 'has @ at position 1, which no expression here may have'],
    ['(SELECT B FROM U)', 'has a subquery'],
    ['A IN (SELECT B FROM U)', 'has a subquery'],
    ['CASE WHEN EXISTS (SELECT 1) THEN 1 END', 'has a subquery'],
    ['COALESCE((SELECT 1), A)', 'has a subquery'],
    ['SUM(A)', 'has an aggregate: it is computed for each row by itself'],
    ['COUNT(*)', 'has an aggregate: it is computed for each row by itself'],
    ['ROW_NUMBER() OVER (ORDER BY A)', 'has a window: it is computed for each row by itself'],
    ['U.A', 'names a column with its table: write its name alone'],
  ])('%s', (text, why) => {
    expect(read(text, dialect)).toBe(`! ${why}`);
  });

  test.each([
    'A,',
    'SELECT A',
    'A FROM T',
    'A UNION SELECT B',
    'A B C',
    '+',
    'CASE A END',
    'DELETE FROM T',
  ])('%s', (text) => {
    expect(read(text, dialect)).toMatch(
      /^! is not an expression that can be read as |^! has a subquery/,
    );
  });

  test('functions that are not known', () => {
    const why = (name: string): string =>
      `! calls ${name}, which is not known to be harmless: name it in sqlFunctions of the configuration if it is`;
    expect(read('pg_sleep(A)', dialect)).toBe(why('pg_sleep'));
    expect(read('DBO.fnAge(A)', dialect)).toBe(why('dbo.fnage'));
    expect(read('upper(xp_cmdshell(A))', dialect)).toBe(why('xp_cmdshell'));
    expect(read('DBO.fnAge(A)', dialect, ['dbo.FnAge'])).toBe('DBO.fnAge({A})');
    expect(read('other.fnAge(A)', dialect, ['dbo.fnAge'])).toBe(why('other.fnage'));
  });
});

test('two values are not expression', () => {
  expect(read('A, B', 'postgres')).toMatch(/^!/);
  expect(read('A, B', 'tsql')).toMatch(/^!/);
});

test.each([
  ['a is distinct from b', 'postgres'],
  ["E'\\\\n'", 'postgres'],
  ['$1', 'postgres'],
  [':x', 'postgres'],
  ['$$a$$', 'postgres'],
  ['a::int[]', 'postgres'],
  ['A AS B', 'tsql'],
  ['A -> B', 'tsql'],
] as const)('%s is refused', (text, dialect) => {
  expect(read(text, dialect)).toMatch(/^!/);
});
