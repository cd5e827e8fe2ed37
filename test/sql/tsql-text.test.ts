import { describe, expect, test } from 'vitest';
import type {
  ColumnRef,
  Condition,
  Operand,
  Parameter,
  ParameterUse,
} from '../../src/sql/ir/ir.ts';
import { readType } from '../../src/schema/sqlserver/types.ts';
import type { ColumnType } from '../../src/schema/types.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';

const dialect = tsqlDialect({ timeZone: 'UTC', bigNumbersAsStrings: false });

const LEGACY = 'SQL_Latin1_General_CP1_CI_AS';
const EXACT = 'Latin1_General_CS_AS';

function textType(name: string, bytes: number, collation = LEGACY): ColumnType {
  return readType({ name, bytes, precision: 0, scale: 0, collation });
}

function column(type: ColumnType): ColumnRef {
  return { kind: 'column', alias: 't', name: 'C', type, nullable: true };
}

function value(type: ColumnType, use: ParameterUse): Parameter {
  return { kind: 'parameter', source: { from: 'request', parameter: 0 }, type, use, meets: 'T.c' };
}

function folded(operand: ColumnRef | Parameter): Operand {
  return { kind: 'folded', operand };
}

/** What a condition is printed as. */
function printed(where: Condition): string {
  const { text } = dialect.print({
    kind: 'count',
    from: { schema: 'S', name: 'T', alias: 't' },
    joins: [],
    where,
  });
  return text.slice(text.indexOf(' WHERE ') + ' WHERE '.length);
}

describe('a column meets a value in its own encoding, so that an index serves (learn: data type precedence)', () => {
  test.each([
    [textType('nvarchar', 80), '=', 't."C" = @p1'],
    [
      textType('varchar', 40),
      '=',
      `(t."C" = CONVERT(varchar(8000), @p1 COLLATE ${LEGACY}) AND t."C" = @p1)`,
    ],
    [
      textType('char', 5),
      '<>',
      `(t."C" <> CONVERT(varchar(8000), @p1 COLLATE ${LEGACY}) OR t."C" <> @p1)`,
    ],
    [textType('varchar', 40), '<', `t."C" < CONVERT(varchar(8000), @p1 COLLATE ${LEGACY})`],
    [textType('varchar', 40), '>=', `t."C" >= CONVERT(varchar(8000), @p1 COLLATE ${LEGACY})`],
    [textType('varchar', -1), '>', `t."C" > CONVERT(varchar(max), @p1 COLLATE ${LEGACY})`],
    [
      textType('text', 16),
      '=',
      `(CONVERT(varchar(max), t."C") = CONVERT(varchar(max), @p1 COLLATE ${LEGACY}) AND CONVERT(varchar(max), t."C") = @p1)`,
    ],
    [
      textType('varchar', 40, 'Latin1_General_100_CI_AS_SC_UTF8'),
      '=',
      '(t."C" = CONVERT(varchar(8000), @p1 COLLATE Latin1_General_100_CI_AS_SC_UTF8) AND t."C" = @p1)',
    ],
  ] as const)('%j %s', (type, operator, text) => {
    const [left, right] = [column(type), value(type, 'value')];
    expect(printed({ kind: 'compare', operator, left, right })).toBe(text);
  });
});

describe('a pattern is sought bare, and matched without the padding (learn: like)', () => {
  const encoded = `CONVERT(varchar(8000), @p1 COLLATE ${LEGACY})`;
  test.each([
    ['nvarchar', 80, 'begins', 't."C" LIKE @p1'],
    ['nvarchar', 80, 'wildcard', 't."C" LIKE @p1'],
    ['nchar', 10, 'begins', '(t."C" LIKE @p1 AND RTRIM(t."C") LIKE @p1)'],
    ['nchar', 10, 'wildcard', `(t."C" LIKE (@p1 + N'%') AND RTRIM(t."C") LIKE @p1)`],
    ['nchar', 10, 'contains', 'RTRIM(t."C") LIKE @p1'],
    ['varchar', 40, 'begins', `(t."C" LIKE ${encoded} AND t."C" LIKE @p1)`],
    ['varchar', 40, 'contains', `(t."C" LIKE ${encoded} AND t."C" LIKE @p1)`],
    ['char', 5, 'begins', `(t."C" LIKE ${encoded} AND RTRIM(t."C") LIKE @p1)`],
    [
      'char',
      5,
      'wildcard',
      `(t."C" LIKE CONVERT(varchar(8000), (@p1 + N'%') COLLATE ${LEGACY}) AND RTRIM(t."C") LIKE @p1)`,
    ],
  ] as const)('%s(%s) %s', (name, bytes, use, text) => {
    const type = textType(name, bytes);
    const [left, right] = [column(type), value(type, use)];
    expect(printed({ kind: 'like', negated: false, left, right })).toBe(text);
    const opposite = text
      .replaceAll(' LIKE ', ' NOT LIKE ')
      .replace(' AND RTRIM', ' OR RTRIM')
      .replace(' AND t', ' OR t');
    expect(printed({ kind: 'like', negated: true, left, right })).toBe(opposite);
  });
});

describe('case is folded where the collation does not ignore it (learn: collation and Unicode support)', () => {
  test.each([
    ['nvarchar', LEGACY, 't."C" = @p1', 't."C" LIKE @p1'],
    ['nvarchar', EXACT, 'LOWER(t."C") = LOWER(@p1)', 'LOWER(t."C") LIKE LOWER(@p1)'],
    ['varchar', EXACT, 'LOWER(t."C") = LOWER(@p1)', 'LOWER(t."C") LIKE LOWER(@p1)'],
    ['nchar', EXACT, 'LOWER(t."C") = LOWER(@p1)', 'LOWER(RTRIM(t."C")) LIKE LOWER(@p1)'],
    [
      'varchar',
      LEGACY,
      `(t."C" = CONVERT(varchar(8000), @p1 COLLATE ${LEGACY}) AND t."C" = @p1)`,
      `(t."C" LIKE CONVERT(varchar(8000), @p1 COLLATE ${LEGACY}) AND t."C" LIKE @p1)`,
    ],
  ] as const)('%s of %s', (name, collation, equal, like) => {
    const type = textType(name, 40, collation);
    const left = folded(column(type));
    const equals = { kind: 'compare', operator: '=', left, right: folded(value(type, 'value')) };
    expect(printed(equals as Condition)).toBe(equal);
    const right = folded(value(type, 'begins'));
    expect(printed({ kind: 'like', negated: false, left, right })).toBe(like);
  });
});

test('every text is bound as Unicode: a varchar would need a code page of the database (learn: collation and Unicode support)', () => {
  const bound = [
    textType('varchar', 40),
    textType('char', 5, 'Latin1_General_100_CI_AS_SC_UTF8'),
    textType('nvarchar', 40),
    readType({ name: 'decimal', bytes: 9, precision: 12, scale: 2, collation: null }),
    readType({ name: 'date', bytes: 3, precision: 10, scale: 0, collation: null }),
    readType({ name: 'datetime2', bytes: 8, precision: 27, scale: 7, collation: null }),
    readType({ name: 'time', bytes: 5, precision: 16, scale: 7, collation: null }),
  ].map((type) => dialect.parameterType(value(type, 'value'), 'plain'));
  expect(bound).toEqual([
    ...Array<string>(3).fill('nvarchar(4000)'),
    ...Array<string>(4).fill('nvarchar(50)'),
  ]);
  const long = value(textType('varchar', 8000), 'value');
  expect(dialect.parameterType(long, 'x'.repeat(4001))).toBe('nvarchar(max)');
});
