import { describe, expect, test } from 'vitest';
import { readExpression, type SqlDialect } from '../../../src/model/calculated/sql-expression.ts';
import { isStored } from '../../../src/model/types.ts';
import { model, problems, table } from '../physical.ts';
import { parsed, rows } from '../../rows.ts';

const tables = [
  table('T', {
    columns: { ID: 'int', 'a.b': 'text', Pay: 'decimal', PAY: 'decimal', U_ID: 'int' },
    primaryKey: ['ID'],
  }),
  table('U', {
    columns: { ID: 'int', NAME: 'text', SECRET: 'text', PHOTO: 'binary' },
    primaryKey: ['ID'],
  }),
];

const u = `dataclass: U
table: S.U
attributes: { id: ID, name: NAME, photo: PHOTO, secret: { column: SECRET, exposed: false }, upper: { sql: upper(name), type: string } }
relations: { ts: { inverse: T.u } }`;

const t = (attributes: string): string => `dataclass: T
table: S.T
attributes: { id: ID, ${attributes} }
relations: { u: { to: U, columns: { U_ID: ID } } }`;

async function member(setting: string, dialect: SqlDialect = 'postgres'): Promise<unknown> {
  const built = await model(tables, { t: t(`x: ${setting}`), u }, { dialect });
  const found = built.dataclasses.get('T')?.members.get('x');
  if (found === undefined || !isStored(found)) return found;
  return [found.type, found.column.type, found.column.expression];
}

test.each(rows`
  bool                 | bool     | {kind: boolean, native: bit} | {kind: boolean, native: bool}
  byte                 | byte     | {kind: integer, bits: 8, signed: false, native: tinyint} | {kind: integer, bits: 16, signed: true, native: int2}
  number, scale: 3     | number   | {kind: decimal, precision: 38, scale: 3, native: 'decimal(38,3)'} | {kind: decimal, precision: 38, scale: 3, native: numeric}
  string, maxLength: 7 | string   | {kind: text, maxLength: 7, padded: false, native: nvarchar(7)} | {kind: text, maxLength: 7, padded: false, native: varchar}
  string               | string   | {kind: text, maxLength: null, padded: false, native: nvarchar(max)} | {kind: text, maxLength: null, padded: false, native: text}
  date                 | date     | {kind: date, native: date} | {kind: date, native: date}
  datetime             | date     | {kind: timestamp, zoned: false, native: datetime2(7)} | {kind: timestamp, zoned: false, native: timestamp}
  duration             | duration | {kind: time, native: time(7)} | {kind: time, native: time}
  uuid                 | uuid     | {kind: uuid, native: uniqueidentifier} | {kind: uuid, native: uuid}
`)('%s is a type of its own on each engine', async (written, type, tsql, postgres) => {
  const setting = `{ sql: id, type: ${written} }`;
  expect(await member(setting, 'tsql')).toMatchObject([type, parsed(tsql), expect.anything()]);
  expect(await member(setting)).toMatchObject([type, parsed(postgres), expect.anything()]);
});

test.each(rows`
  date                    | {}                   | false
  date                    | {simpleDates: true}  | true
  date, simpleDate: true  | {simpleDates: false} | true
  date, simpleDate: false | {simpleDates: true}  | false
  datetime                | {simpleDates: true}  | false
`)('%s with the settings %s has the simpleDate %s', async (written, settings, expected) => {
  const files = { t: t(`x: { sql: id, type: ${written} }`), u };
  const built = await model(tables, files, parsed(settings));
  expect(built.dataclasses.get('T')?.members.get('x')).toMatchObject({
    simpleDate: parsed(expected),
  });
});

test('an expression names columns as SQL does, and is converted to its type', async () => {
  expect(await member(`{ sql: 'id + "ID"', type: long }`)).toEqual([
    'long',
    expect.anything(),
    ['CAST((', '', { column: 'ID' }, ' + ', { column: 'ID' }, '', ') AS int4)'],
  ]);
  expect(await member(`{ sql: 'ID', type: number, scale: 2 }`)).toEqual([
    'number',
    expect.anything(),
    ['CAST((', '', { column: 'ID' }, '', ') AS numeric(38, 2))'],
  ]);
});

test('each dialect can have its own', async () => {
  const setting = `{ sql: { tsql: 'LEN("a.b")', postgres: 'length("a.b")' }, type: long }`;
  const start = (text: string): unknown => expect.arrayContaining([text, { column: 'a.b' }]);
  expect(await member(setting, 'tsql')).toMatchObject(['long', {}, start('LEN(')]);
  expect(await member(setting)).toMatchObject(['long', {}, start('length(')]);
});

test('a name with a dot is a column where there is one, and a path otherwise', async () => {
  expect(await member('a.b')).toMatchObject(['string', { kind: 'text' }, undefined]);
  expect(await member('u.name')).toMatchObject({ kind: 'alias', path: ['u', 'name'] });
  expect(await member('{ alias: u.upper }')).toMatchObject({
    kind: 'alias',
    aliased: { kind: 'calculated', type: 'string' },
  });
  expect(await member('{ alias: u.name, exposed: false }')).toBeUndefined();
});

test.each(rows`
  x: { sql: "ID; DROP", type: long }   | t.yaml:3:33: the SQL of x has ; at position 3, which no expression here may have
  x: { sql: pay, type: long }          | t.yaml:3:33: S.T has no column pay. Did you mean PAY, Pay?
  x: { sql: '"id"', type: long }       | t.yaml:3:33: S.T has no column id. Did you mean ID?
  x: { sql: { tsql: ID }, type: long } | t.yaml:3:28: has no expression for postgres, which the database speaks
  x: v.name                            | t.yaml:3:26: T has no relation to one v, and its table no column v.name. Known: u.
  x: u.nam                             | t.yaml:3:26: U has no attribute nam. Did you mean name?
  x: u.secret                          | t.yaml:3:26: U has no attribute secret. Known: id, name, photo, upper.
  x: u.photo                           | t.yaml:3:26: u.photo is of type blob, which clients ask its own entity for
  x: u.ts                              | t.yaml:3:26: u.ts leads to entities: an alias names an attribute
  x: u.ts.id                           | t.yaml:3:26: U.ts is not a relation to one: an alias has one value
  x: u.name, y: id.name                | t.yaml:3:37: T.id is not a relation to one: an alias has one value
  u: u.name                            | t.yaml:3:26: T already has a relation u
`)('%s is refused', async (attributes, message) => {
  expect(await problems(tables, { t: t(attributes), u })).toEqual([message]);
});

/** The text of an expression, its columns in braces; or, behind an exclamation mark, what is wrong with it. */
function read(text: string, dialect: SqlDialect, functions: readonly string[] = []): string {
  const parts = readExpression(text, { dialect, functions });
  if (typeof parts === 'string') return `! ${parts}`;
  return parts
    .map((part) => (typeof part === 'string' ? part : `{${part.isQuoted ? '=' : ''}${part.name}}`))
    .join('');
}

test.each(rows`
  CASE WHEN DATEDIFF(year, BIRTH_DT, GETDATE()) < 30 THEN 'young' ELSE 'senior' END
    | CASE WHEN DATEDIFF(year, {BIRTH_DT}, GETDATE()) < 30 THEN 'young' ELSE 'senior' END
  [FIRST NM] + N' ' + "LAST""NM"          | {=FIRST NM} + N' ' + {=LAST"NM}
  [a]]b] * 2                              | {=a]b} * 2
  CONVERT(varchar(10), X, 120)            | CONVERT(varchar(10), {X}, 120)
  CONVERT(int, X)                         | CONVERT(int, {X})
  ISNULL(A, 0) * CAST(B AS decimal(10,2)) | ISNULL({A}, 0) * CAST({B} AS decimal(10,2))
  DATEADD(day, -1, [day])                 | DATEADD(day, -1, {=day})
  DATEPART(year, year)                    | DATEPART(year, {year})
  A LIKE N'it''s%' AND B IN (1, 2) OR NOT C IS NULL | {A} LIKE N'it''s%' AND {B} IN (1, 2) OR NOT {C} IS NULL
  A COLLATE Latin1_General_CI_AS          | {A} COLLATE Latin1_General_CI_AS
  CURRENT_TIMESTAMP                       | CURRENT_TIMESTAMP
  'A' + A                                 | 'A' + {A}
  '--' + A + '/* ; */'                    | '--' + {A} + '/* ; */'
  A + A                                   | {A} + {A}
`)('T-SQL: %s', (text, expected) => {
  expect(read(text, 'tsql')).toBe(expected);
});

test.each(rows`
  extract(year from age(birth_dt))::int         | extract(year from age({birth_dt}))::int
  first_nm || ' ' || coalesce("Last", '')       | {first_nm} || ' ' || coalesce({=Last}, '')
  a + interval '1 day'                          | {a} + interval '1 day'
  a at time zone 'UTC'                          | {a} at time zone 'UTC'
  trim(both ' ' from a)                         | trim(both ' ' from {a})
  position('x' in a)                            | position('x' in {a})
  a ->> 'b' ~ 'x'                               | {a} ->> 'b' ~ 'x'
  round(a::numeric(10, 2), 1)                   | round({a}::numeric(10, 2), 1)
  case a when 1 then true else b end            | case {a} when 1 then true else {b} end
  current_date - a                              | current_date - {a}
  -a                                            | -{a}
`)('PostgreSQL: %s', (text, expected) => {
  expect(read(text, 'postgres')).toBe(expected);
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
    ...['A,', 'SELECT A', 'A FROM T', 'A UNION SELECT B', 'A B C', '+', 'CASE A END'],
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

test.each([
  ['A, B', 'postgres'],
  ['A, B', 'tsql'],
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
