import { describe, expect, test } from 'vitest';
import type { ColumnRef, Condition, Operand, Parameter } from '../../src/sql/ir/ir.ts';
import { decimalType, readType } from '../../src/schema/sqlserver/types.ts';
import type { ColumnType } from '../../src/schema/types.ts';
import type { Statement } from '../../src/sql/ir/statement.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';

const dialect = tsqlDialect({ timeZone: 'UTC', bigNumbersAsStrings: false });

const LEGACY = 'SQL_Latin1_General_CP1_CI_AS';
const EXACT = 'Latin1_General_CS_AS';
const whole: ColumnType = { kind: 'integer', bits: 32, signed: true, native: 'int' };

function textType(name: string, bytes: number, collation: string): ColumnType {
  return readType({ name, bytes, precision: 0, scale: 0, collation });
}

function column(type: ColumnType, name = 'C'): ColumnRef {
  return { kind: 'column', alias: 't', name, type, nullable: true };
}

function list(type: ColumnType, size?: number, parameter = 0): Parameter {
  const source = { from: 'request', parameter } as const;
  const sized = size === undefined ? {} : { size };
  return { kind: 'parameter', source, type, use: 'list', meets: 'T.c', ...sized };
}

function isIn(right: Parameter, left: Operand = column(right.type)): Condition {
  return { kind: 'in', left, right };
}

function print(where: Condition): Statement {
  const from = { schema: 'S', name: 'T', alias: 't' };
  return dialect.print({ kind: 'count', from, joins: [], where });
}

const COUNT = 'SELECT COUNT_BIG(*) FROM "S"."T" t WHERE ';

describe('a short list is a parameter for each value', () => {
  test.each([
    [whole, 't."C" IN (@p1, @p2, @p3)'],
    [textType('nvarchar', 40, LEGACY), 't."C" IN (@p1, @p2, @p3)'],
    [
      textType('char', 5, LEGACY),
      '(t."C" IN (' +
        [1, 2, 3].map((n) => `CONVERT(varchar(8000), @p${n} COLLATE ${LEGACY})`).join(', ') +
        ') AND t."C" IN (@p1, @p2, @p3))',
    ],
    [
      decimalType('decimal', 5, 1),
      `t."C" IN (${[1, 2, 3].map((n) => `CONVERT(decimal(5,1), @p${n})`).join(', ')})`,
    ],
  ])('%j', (type, text) => {
    const { text: printed, parameters } = print(isIn(list(type, 3)));
    expect(printed).toBe(COUNT + text);
    expect(parameters).toEqual(
      [0, 1, 2].map((index) => ({ kind: 'listItem', list: list(type, 3), index })),
    );
  });

  test('folded where its collation does not ignore case', () => {
    const type = textType('varchar', 40, EXACT);
    const left: Operand = { kind: 'folded', operand: column(type) };
    expect(print(isIn(list(type, 1), left)).text).toBe(`${COUNT}LOWER(t."C") IN (LOWER(@p1))`);
  });

  test('of nothing but nulls equals nothing', () => {
    expect(print(isIn(list(whole, 0))).text).toBe(`${COUNT}1 = 0`);
  });
});

describe('a long list goes into a table variable, whose length the server knows when it plans anew (learn: table)', () => {
  test.each([
    [whole, 'int', 'SELECT v', 'int', ''],
    [
      textType('nvarchar', 40, EXACT),
      `nvarchar(4000) COLLATE ${EXACT}`,
      `SELECT v COLLATE ${EXACT}`,
      'nvarchar(4000)',
      '',
    ],
    [
      textType('varchar', 8000, LEGACY),
      `varchar(8000) COLLATE ${LEGACY}`,
      `SELECT CONVERT(varchar(8000), v COLLATE ${LEGACY})`,
      'nvarchar(max)',
      ` WHERE CONVERT(nvarchar(max), CONVERT(varchar(8000), v COLLATE ${LEGACY})) COLLATE Latin1_General_BIN2 = v`,
    ],
    [
      textType('nvarchar', -1, LEGACY),
      `nvarchar(max) COLLATE ${LEGACY}`,
      `SELECT v COLLATE ${LEGACY}`,
      'nvarchar(max)',
      '',
    ],
  ])('%j', (type, held, selected, item, condition) => {
    expect(print(isIn(list(type))).text).toBe(
      `SET NOCOUNT ON; DECLARE @l1 TABLE (v ${held});` +
        ` INSERT INTO @l1 ${selected} FROM OPENJSON(@p1) WITH (v ${item} '$')${condition};` +
        ` ${COUNT}t."C" IN (SELECT v FROM @l1) OPTION (RECOMPILE)`,
    );
  });

  test('below NOT, null stays unknown where no text is in the code page (learn: in)', () => {
    const printed = (type: ColumnType): string => {
      const { text } = print({ kind: 'not', item: isIn(list(type)) });
      return text.slice(text.indexOf('NOT ('));
    };
    expect(printed(textType('varchar', 40, LEGACY))).toBe(
      'NOT ((t."C" IN (SELECT v FROM @l1) OR t."C" IS NULL)) OPTION (RECOMPILE)',
    );
    expect(printed(whole)).toBe('NOT (t."C" IN (SELECT v FROM @l1)) OPTION (RECOMPILE)');
  });

  test('also where short ones are many: a call takes 2,100 parameters (learn: maximum capacity)', () => {
    const items = Array.from({ length: 500 }, (_, parameter) => isIn(list(whole, 50, parameter)));
    const { text, parameters } = print({ kind: 'or', items });
    expect(parameters).toHaveLength(300 + 494);
    expect(text).toContain('DECLARE @l494 TABLE');
    expect(text).not.toContain('@l495');
  });
});

test('columns of two collations are compared in that of the one that is sought (learn: collation precedence)', () => {
  const [left, right] = [
    column(textType('varchar', 10, LEGACY), 'A'),
    column(textType('varchar', 10, EXACT), 'B'),
  ];
  const joined = dialect.print({
    kind: 'count',
    from: { schema: 'S', name: 'T', alias: 't' },
    joins: [
      {
        type: 'left',
        table: { schema: 'S', name: 'U', alias: 'u' },
        on: [[left, { ...right, alias: 'u' }]],
        where: null,
      },
    ],
    where: { kind: 'compare', operator: '=', left, right },
  });
  expect(joined.text).toBe(
    `SELECT COUNT_BIG(*) FROM "S"."T" t LEFT JOIN "S"."U" u ON t."A" COLLATE ${EXACT} = u."B"` +
      ` WHERE t."A" = t."B" COLLATE ${LEGACY}`,
  );
  const linked = dialect.print({
    kind: 'related',
    keyColumns: [{ ...column(whole, 'K'), alias: 'm' }],
    via: [
      {
        table: { schema: 'S', name: 'M', alias: 'm' },
        on: [[{ ...left, alias: 'm' }, right]],
        where: null,
      },
    ],
    outputs: [{ kind: 'value', operand: right }],
    from: { schema: 'S', name: 'T', alias: 't' },
    joins: [],
    where: null,
    orderBy: [],
    perKey: 100,
  });
  expect(linked.text).toContain(
    `(SELECT DISTINCT m."A" AS j0 FROM "S"."M" m WHERE m."K" = k.k0) l JOIN "S"."T" t ON t."B" = l.j0 COLLATE ${EXACT}`,
  );
});
