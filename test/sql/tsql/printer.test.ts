import { describe, expect, test } from 'vitest';
import { planSlicedRead } from '../../../src/plan/read/read.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { decimalType, readType } from '../../../src/schema/sqlserver/types.ts';
import type { ColumnType } from '../../../src/schema/types.ts';
import type {
  ColumnRef,
  Condition,
  KeyedQuery,
  Operand,
  OrderTerm,
  Parameter,
  ParameterUse,
  SelectQuery,
} from '../../../src/sql/ir/ir.ts';
import type { Statement } from '../../../src/sql/ir/statement.ts';
import { tsqlDialect } from '../../../src/sql/tsql/dialect.ts';
import { opaqueText } from '../../../src/sql/tsql/text.ts';
import { planning, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';

const dialect = tsqlDialect({ timeZone: 'UTC', bigNumbersAsStrings: false });
const from = { schema: 'S', name: 'T', alias: 't' };

const LEGACY = 'SQL_Latin1_General_CP1_CI_AS';
const EXACT = 'Latin1_General_CS_AS';
const whole: ColumnType = { kind: 'integer', bits: 32, signed: true, native: 'int' };

function textType(name: string, bytes: number, collation = LEGACY): ColumnType {
  return readType({ name, bytes, precision: 0, scale: 0, collation });
}

function column(type: ColumnType, name = 'C'): ColumnRef {
  return { kind: 'column', alias: 't', name, type, nullable: true };
}

function value(type: ColumnType, use: ParameterUse): Parameter {
  return { kind: 'parameter', source: { from: 'request', parameter: 0 }, type, use, meets: 'T.c' };
}

function list(type: ColumnType, size?: number, parameter = 0): Parameter {
  const sized = size === undefined ? {} : { size };
  return { ...value(type, 'list'), source: { from: 'request', parameter }, ...sized };
}

function isIn(right: Parameter, left: Operand = column(right.type)): Condition {
  return { kind: 'in', left, right };
}

function folded(operand: ColumnRef | Parameter): Operand {
  return { kind: 'folded', operand };
}

function print(where: Condition): Statement {
  return dialect.print({ kind: 'count', from, joins: [], where });
}

/** What a condition is printed as. */
function printed(where: Condition): string {
  const { text } = print(where);
  return text.slice(text.indexOf(' WHERE ') + ' WHERE '.length);
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

const base = 'CONVERT(nvarchar(128), SQL_VARIANT_PROPERTY(t0."v", \'BaseType\'))';

test.each([
  ['geometry', 't0."v".AsTextZM()'],
  ['geography', 't0."v".AsTextZM()'],
  ['hierarchyid', 't0."v".ToString()'],
  ['xml', 'CONVERT(nvarchar(max), t0."v")'],
  [
    'sql_variant',
    `CASE WHEN ${base} IN (N'money', N'smallmoney') THEN CONVERT(nvarchar(max), CONVERT(decimal(19, 4), t0."v"))` +
      ` WHEN ${base} IN (N'float', N'real') THEN CONVERT(nvarchar(max), CONVERT(float, t0."v"), 3)` +
      ` WHEN ${base} IN (N'date') THEN CONVERT(nvarchar(max), CONVERT(date, t0."v"), 23)` +
      ` WHEN ${base} IN (N'datetime', N'smalldatetime') THEN CONVERT(nvarchar(max), CONVERT(datetime, t0."v"), 126)` +
      ` WHEN ${base} IN (N'datetime2') THEN CONVERT(nvarchar(max), CONVERT(datetime2(7), t0."v"), 126)` +
      ` WHEN ${base} IN (N'datetimeoffset') THEN CONVERT(nvarchar(max), CONVERT(datetimeoffset(7), t0."v"), 126)` +
      ` WHEN ${base} IN (N'time') THEN CONVERT(nvarchar(max), CONVERT(time(7), t0."v"), 121)` +
      ` WHEN ${base} IN (N'binary', N'varbinary') THEN CONVERT(nvarchar(max), CONVERT(varbinary(8000), t0."v"), 1)` +
      ` ELSE CONVERT(nvarchar(max), t0."v") END`,
  ],
])('%s as text', (type, text) => {
  expect(opaqueText('t0."v"', type)).toBe(text);
});

function term(name: string, native: string, bytes: number, tieBreak: boolean): OrderTerm {
  const type = readType({
    name: native,
    bytes,
    precision: 12,
    scale: 2,
    collation: 'Latin1_General_CI_AS',
  });
  return {
    operand: { kind: 'column', alias: 't', name, type, nullable: true },
    descending: false,
    ...(tieBreak ? { tieBreak: true } : {}),
  };
}

function ordered(orderBy: readonly OrderTerm[]): string {
  const select = { kind: 'select', from, joins: [], where: null, window: null } as const;
  const { text } = dialect.print({ ...select, outputs: [{ kind: 'globalStamp' }], orderBy });
  return text.slice(text.indexOf(' ORDER BY '));
}

test('rows without a key are sorted by as many of their columns as 8,060 bytes hold (learn: order by)', () => {
  expect(
    ordered([
      term('A', 'nvarchar', 6000, true),
      term('B', 'varchar', 3000, true),
      term('C', 'nvarchar', -1, true),
      term('D', 'varchar', 1900, true),
      term('E', 'decimal', 9, true),
      term('F', 'int', 4, true),
    ]),
  ).toBe(' ORDER BY t."A", t."D", t."E", t."F"');
});

test('what a client asks for is sorted by, and so is the key', () => {
  expect(
    ordered([
      term('A', 'nvarchar', 8000, false),
      term('B', 'nvarchar', 8000, false),
      term('C', 'int', 4, false),
      term('D', 'int', 4, true),
    ]),
  ).toBe(' ORDER BY t."A", t."B", t."C"');
});

/**
 * A column of the type json, which OPENJSON, ISJSON and comparisons take as text only
 * (https://learn.microsoft.com/sql/t-sql/data-types/json-data-type).
 */
const document = column({ kind: 'json', asText: false, native: 'json' });

function select(where: Condition | null): SelectQuery {
  const value = { kind: 'value', operand: document } as const;
  return { kind: 'select', outputs: [value], from, joins: [], where, orderBy: [], window: null };
}

test('a column of the type json is read as text', () => {
  expect(dialect.print(select(null)).text).toBe(
    'SELECT CONVERT(nvarchar(max), t."C") FROM "S"."T" t',
  );
});

test('of a column of the type json, JSON’s null is null', () => {
  expect(dialect.print(select({ kind: 'isNull', operand: document, negated: false })).text).toBe(
    'SELECT CONVERT(nvarchar(max), t."C") FROM "S"."T" t WHERE (t."C" IS NULL OR' +
      " LTRIM(RTRIM(REPLACE(REPLACE(REPLACE(CONVERT(nvarchar(max), t.\"C\"), NCHAR(9), N' '), NCHAR(10), N' '), NCHAR(13), N' ')))" +
      " COLLATE Latin1_General_BIN2 = N'null')",
  );
});

test('a property of a column of the type json is looked up in its text', () => {
  const where: Condition = {
    kind: 'compare',
    operator: '=',
    left: { kind: 'jsonProperty', column: document, path: ['state'], as: 'text' },
    right: {
      kind: 'parameter',
      source: { from: 'request', parameter: 0 },
      type: { kind: 'text', maxLength: null, padded: false, native: 'nvarchar(max)' },
      use: 'value',
      meets: 'Document.doc',
    },
  };
  expect(dialect.print(select(where)).text).toBe(
    'SELECT CONVERT(nvarchar(max), t."C") FROM "S"."T" t WHERE (SELECT TOP (1) j.value FROM' +
      ' OPENJSON(CASE WHEN ISJSON(CONVERT(nvarchar(max), t."C")) = 1 THEN CONVERT(nvarchar(max), t."C") END) j' +
      ' WHERE j."key" = @p1 AND j.type IN (1, 2, 3)) = @p2',
  );
});

test('a column of the type json is given text, which the assignment converts', () => {
  const id: ColumnRef = {
    ...document,
    name: 'ID',
    type: { kind: 'integer', bits: 32, signed: true, native: 'int' },
    nullable: false,
  };
  const written = dialect.printWrite({
    kind: 'update',
    table: from,
    match: { key: [id], stamp: null, where: null },
    assignments: [{ column: document, value: { kind: 'cell' } }],
    rows: 'many',
    instead: false,
  });
  expect(written?.text).toBe(
    'SET NOCOUNT ON; DECLARE @k TABLE ("k0" int); UPDATE "S"."T" SET "C" = k.c0 OUTPUT inserted."ID" INTO @k' +
      " FROM OPENJSON(@p1) WITH (k0 int '$[1]', c0 nvarchar(max) '$[2]') k" +
      ' WHERE "T"."ID" = k.k0; SELECT k."k0" FROM @k k',
  );
});

/** Lines by their keys, with their items. */
function linesByKey(): KeyedQuery {
  const column = (alias: string, name: string): ColumnRef => ({
    kind: 'column',
    alias,
    name,
    type: whole,
    nullable: false,
  });
  return {
    kind: 'keyed',
    keyColumns: [column('t0', 'ORD'), column('t0', 'POS')],
    outputs: [{ kind: 'value', operand: column('t1', 'QTY') }],
    from: { schema: 'S', name: 'LINE', alias: 't0' },
    joins: [
      {
        type: 'left',
        table: { schema: 'S', name: 'ITEM', alias: 't1' },
        on: [[column('t0', 'ITEM'), column('t1', 'ID')]],
        where: null,
      },
    ],
    where: { kind: 'isNull', negated: true, operand: column('t1', 'ID') },
    orderBy: [],
  };
}

test('the rows of keys, each once, in an order of their own', () => {
  const asked = linesByKey();
  const [operand] = asked.keyColumns;
  if (operand === undefined) throw new Error('no key');
  const { text } = dialect.print({ ...asked, orderBy: [{ operand, descending: true }] });
  expect(text).toBe(
    "SELECT k.o, t1.\"QTY\" FROM OPENJSON(@p1) WITH (o int '$[0]', k0 int '$[1]', k1 int '$[2]') k" +
      ' JOIN "S"."LINE" t0 ON t0."ORD" = k.k0 AND t0."POS" = k.k1' +
      ' LEFT JOIN "S"."ITEM" t1 ON t0."ITEM" = t1."ID" WHERE t1."ID" IS NOT NULL ORDER BY t0."ORD" DESC',
  );
});

test('the row of a single key', () => {
  const many = dialect.print(linesByKey());
  const statement = many.ofOneKey?.();
  expect(statement?.name).toBe(many.name);
  expect(statement?.text).toBe(
    'SELECT k.o, t1."QTY" FROM (VALUES (0, @p1, @p2)) k(o, k0, k1)' +
      ' JOIN "S"."LINE" t0 ON t0."ORD" = k.k0 AND t0."POS" = k.k1' +
      ' LEFT JOIN "S"."ITEM" t1 ON t0."ITEM" = t1."ID" WHERE t1."ID" IS NOT NULL ORDER BY k.o',
  );
  expect(statement?.parameters).toEqual([
    { kind: 'rowField', index: 0, type: whole },
    { kind: 'rowField', index: 1, type: whole },
  ]);
  expect(dialect.print({ kind: 'globalStamp' }).ofOneKey).toBeUndefined();
});

/** A key of the code page of its collation. */
function encoded(collation: string): ColumnRef {
  return {
    kind: 'column',
    alias: 't0',
    name: 'CODE',
    type: { kind: 'text', maxLength: 3, padded: true, collation, native: 'char(3)' },
    nullable: false,
  };
}

/** The entities that a body names by such keys. */
function byCode(column: ColumnRef): KeyedQuery {
  return { ...linesByKey(), keyColumns: [column], outputs: [], joins: [], where: null };
}

test('a body’s key meets no row of a code page that lacks one of its characters', () => {
  const { text } = dialect.print(byCode(encoded('Latin1_General_CI_AS')));
  expect(text).toBe(
    'SELECT k.o FROM OPENJSON(@p1) WITH (o int \'$[0]\', k0 nvarchar(4000) \'$[1]\') k JOIN "S"."LINE" t0' +
      ' ON t0."CODE" = CONVERT(varchar(8000), k.k0 COLLATE Latin1_General_CI_AS)' +
      ' AND CONVERT(nvarchar(4000), CONVERT(varchar(8000), k.k0 COLLATE Latin1_General_CI_AS)) COLLATE Latin1_General_BIN2 = k.k0' +
      ' ORDER BY k.o',
  );
});

test('keys are compared in one case where their collation tells cases apart, and only there', () => {
  const folded = (collation: string): string =>
    dialect.print({ ...byCode(encoded(collation)), folded: true }).text;
  expect(folded('Latin1_General_CI_AS')).toBe(
    dialect.print(byCode(encoded('Latin1_General_CI_AS'))).text,
  );
  expect(folded('Latin1_General_CS_AS')).toContain(
    ' ON LOWER(t0."CODE") = LOWER(CONVERT(varchar(8000), k.k0 COLLATE Latin1_General_CS_AS)) AND CONVERT(',
  );
});

test('text of a code page equals no key with a character that the code page lacks', () => {
  const column = encoded('Latin1_General_CI_AS');
  const { text, parameters } = dialect.print({
    kind: 'count',
    from: { schema: 'S', name: 'LINE', alias: 't0' },
    joins: [],
    where: {
      kind: 'keyIn',
      columns: [column],
      keys: { kind: 'keys', parameters: [[0], [1]], types: [column.type], meets: ['Line.code'] },
    },
  });
  expect(text).toBe(
    'SELECT COUNT_BIG(*) FROM "S"."LINE" t0 WHERE EXISTS (SELECT 1' +
      " FROM OPENJSON(@p1) WITH (o int '$[0]', k0 nvarchar(4000) '$[1]') k" +
      ' WHERE t0."CODE" = CONVERT(varchar(8000), k.k0 COLLATE Latin1_General_CI_AS)' +
      ' AND CONVERT(nvarchar(4000), CONVERT(varchar(8000), k.k0 COLLATE Latin1_General_CI_AS)) COLLATE Latin1_General_BIN2 = k.k0)',
  );
  expect(parameters.map(({ kind }) => kind)).toEqual(['keys']);
});

test.each(['update', 'delete'] as const)('rows can be locked: %s', (lock) => {
  const asked = linesByKey();
  expect(dialect.print({ ...asked, lock }).text).toBe(
    dialect.print(asked).text.replace('"LINE" t0 ON', '"LINE" t0 WITH (UPDLOCK) ON'),
  );
});

test.each([
  ['varbinary(max)', 't."C"'],
  ['image', 'CONVERT(varbinary(max), t."C")'],
])('slices and digests of %s', (native, bytes) => {
  const operand = column({ kind: 'binary', native });
  const statement = dialect.print({
    ...{ kind: 'select', from, joins: [], where: null, orderBy: [], window: null },
    outputs: [
      { kind: 'slice', operand },
      { kind: 'digest', operand },
    ],
  });
  expect(statement.text).toBe(
    `SELECT SUBSTRING(${bytes}, @p1 + 1, @p2), HASHBYTES('SHA2_256', ${bytes}) FROM "S"."T" t`,
  );
  expect(statement.readers[1]?.text(Buffer.from([0, 255]))).toBe('00ff');
});

test('what is behind the last row is so in the code page alone: Unicode may tell apart what it does not', async () => {
  const { ast } = parseRequest('/rest/ExchangeRate');
  if (ast.kind !== 'read') throw new Error('not a read');
  const model = await sampleModel(readSnapshot('tsql'));
  const statements = planSlicedRead(ast, planning(model, dialect))?.behind([false, false]);
  const found = statements?.map(({ text }) => /WHERE \(\((.*)\)\)\s+ORDER BY/s.exec(text)?.[1]);
  const currency = 'CONVERT(varchar(8000), @p1 COLLATE Latin1_General_100_CI_AS)';
  expect(found).toEqual([
    `t0."CURR_CD" = ${currency} AND t0."RATE_DT" > CONVERT(date, @p2, 23)`,
    `t0."CURR_CD" > ${currency}`,
  ]);
});
