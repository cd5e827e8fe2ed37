import { describe, expect, test } from 'vitest';
import { planSlicedRead } from '../../../src/plan/read/read.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { readType } from '../../../src/schema/sqlserver/types.ts';
import type { ColumnType } from '../../../src/schema/types.ts';
import type {
  ColumnRef,
  Condition,
  KeyedQuery,
  Operand,
  OrderTerm,
  Parameter,
  ParameterUse,
} from '../../../src/sql/ir/ir.ts';
import type { Statement } from '../../../src/sql/ir/statement.ts';
import { tsqlDialect } from '../../../src/sql/tsql/dialect.ts';
import { tsqlLocks } from '../../../src/sql/tsql/locks.ts';
import { opaqueText } from '../../../src/sql/tsql/text.ts';
import { planning, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { rows } from '../../rows.ts';

const dialect = tsqlDialect({ timeZone: 'UTC', bigNumbersAsStrings: false });
const from = { schema: 'S', name: 'T', alias: 't' };

const COLLATIONS: Readonly<Record<string, string>> = {
  LEGACY: 'SQL_Latin1_General_CP1_CI_AS',
  EXACT: 'Latin1_General_CS_AS',
  UTF8: 'Latin1_General_100_CI_AS_SC_UTF8',
};

/** A type of so many bytes, with its collation where it is not LEGACY: `varchar(40) EXACT`. */
function typed(text: string): ColumnType {
  const [, name = '', size = '0', collation = 'LEGACY'] =
    /^(\w+)(?:\((\w+)\))?(?: (\w+))?$/.exec(text) ?? [];
  const bytes = size === 'max' ? -1 : Number(size);
  const known = COLLATIONS[collation] ?? null;
  return readType({ name, bytes, precision: 12, scale: 2, collation: known });
}

/** Statements in short: `C` is the column, `{…}` a value in the code page of LEGACY. */
const whole = (text: string): string =>
  text
    .replace(/\bC\b/g, 't."C"')
    .replace(/\{(.*?)\}/g, 'CONVERT(varchar(8000), $1 COLLATE LEGACY)')
    .replace(/LEGACY|EXACT|UTF8/g, (name) => COLLATIONS[name] ?? name);

function column(type: ColumnType, name = 'C', alias = 't'): ColumnRef {
  return { kind: 'column', alias, name, type, nullable: true };
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

const COUNT = 'SELECT COUNT_BIG(*) FROM "S"."T" t WHERE ';

/** What a condition is printed as. */
const printed = (where: Condition): string => print(where).text.replace(COUNT, '');

describe('a short list is a parameter for each value', () => {
  test.each(rows`
    int          | C IN (@p1, @p2, @p3)
    nvarchar(40) | C IN (@p1, @p2, @p3)
    char(5)      | (C IN ({@p1}, {@p2}, {@p3}) AND C IN (@p1, @p2, @p3))
    decimal      | C IN (CONVERT(decimal(12,2), @p1), CONVERT(decimal(12,2), @p2), CONVERT(decimal(12,2), @p3))
  `)('of %s', (name, text) => {
    const three = list(typed(name), 3);
    expect(printed(isIn(three))).toBe(whole(text));
    const items = [0, 1, 2].map((index) => ({ kind: 'listItem', list: three, index }));
    expect(print(isIn(three)).parameters).toEqual(items);
  });

  test('folded where its collation does not ignore case, and of nothing but nulls equal to nothing', () => {
    const type = typed('varchar(40) EXACT');
    expect(printed(isIn(list(type, 1), folded(column(type))))).toBe('LOWER(t."C") IN (LOWER(@p1))');
    expect(printed(isIn(list(typed('int'), 0)))).toBe('1 = 0');
  });
});

describe('a long list goes into a table variable, whose length the server knows when it plans anew (learn: table)', () => {
  test.each(rows`
    int                | int | v | int
    nvarchar(40) EXACT | nvarchar(4000) COLLATE EXACT | v COLLATE EXACT | nvarchar(4000)
    varchar(8000)      | varchar(8000) COLLATE LEGACY | {v} | nvarchar(max)
      | WHERE CONVERT(nvarchar(max), {v}) COLLATE Latin1_General_BIN2 = v
    nvarchar(max)      | nvarchar(max) COLLATE LEGACY | v COLLATE LEGACY | nvarchar(max)
  `)('of %s', (type, held, selected, item, condition = '') => {
    const where = condition === '' ? '' : ` ${condition}`;
    expect(print(isIn(list(typed(type)))).text).toBe(
      whole(
        `SET NOCOUNT ON; DECLARE @l1 TABLE (v ${held});` +
          ` INSERT INTO @l1 SELECT ${selected} FROM OPENJSON(@p1) WITH (v ${item} '$')${where};` +
          ` ${COUNT}C IN (SELECT v FROM @l1) OPTION (RECOMPILE)`,
      ),
    );
  });

  test.each(rows`
    varchar(40) | NOT ((C IN (SELECT v FROM @l1) OR C IS NULL)) OPTION (RECOMPILE)
    int         | NOT (C IN (SELECT v FROM @l1)) OPTION (RECOMPILE)
  `)(
    'below NOT, null of %s stays unknown where no text is in the code page (learn: in)',
    (type, text) => {
      const { text: all } = print({ kind: 'not', item: isIn(list(typed(type))) });
      expect(all.slice(all.indexOf('NOT ('))).toBe(whole(text));
    },
  );

  test('also where short ones are many: a call takes 2,100 parameters (learn: maximum capacity)', () => {
    const fifty = (_: unknown, parameter: number): Condition =>
      isIn(list(typed('int'), 50, parameter));
    const { text, parameters } = print({ kind: 'or', items: Array.from({ length: 500 }, fifty) });
    expect(parameters).toHaveLength(300 + 494);
    expect(text).toContain('DECLARE @l494 TABLE');
    expect(text).not.toContain('@l495');
  });
});

test('columns of two collations are compared in that of the one that is sought (learn: collation precedence)', () => {
  const [left, right] = [
    column(typed('varchar(10)'), 'A'),
    column(typed('varchar(10) EXACT'), 'B'),
  ];
  const table = { schema: 'S', name: 'U', alias: 'u' };
  const where = { kind: 'compare', operator: '=', left, right } as const;
  const on = [[left, { ...right, alias: 'u' }]] as const;
  const joins = [{ type: 'left', table, on, where: null }] as const;
  expect(dialect.print({ kind: 'count', from, joins, where }).text).toBe(
    whole(
      'SELECT COUNT_BIG(*) FROM "S"."T" t LEFT JOIN "S"."U" u ON t."A" COLLATE EXACT = u."B" WHERE t."A" = t."B" COLLATE LEGACY',
    ),
  );
  const between = { schema: 'S', name: 'M', alias: 'm' };
  const linked = dialect.print({
    ...{ kind: 'related', from, joins: [], where: null, orderBy: [], perKey: 100 },
    keyColumns: [column(typed('int'), 'K', 'm')],
    via: [{ table: between, on: [[{ ...left, alias: 'm' }, right]], where: null }],
    outputs: [{ kind: 'value', operand: right }],
  });
  expect(linked.text).toContain(
    whole(
      '(SELECT DISTINCT m."A" AS j0 FROM "S"."M" m WHERE m."K" = k.k0) l JOIN "S"."T" t ON t."B" = l.j0 COLLATE EXACT',
    ),
  );
});

test.each(rows`
  nvarchar(80)     | =  | C = @p1
  varchar(40)      | =  | (C = {@p1} AND C = @p1)
  char(5)          | <> | (C <> {@p1} OR C <> @p1)
  varchar(40)      | <  | C < {@p1}
  varchar(40)      | >= | C >= {@p1}
  varchar(max)     | >  | C > CONVERT(varchar(max), @p1 COLLATE LEGACY)
  text(16)         | =  | (CONVERT(varchar(max), C) = CONVERT(varchar(max), @p1 COLLATE LEGACY) AND CONVERT(varchar(max), C) = @p1)
  varchar(40) UTF8 | =  | (C = CONVERT(varchar(8000), @p1 COLLATE UTF8) AND C = @p1)
`)(
  'a column of %s meets a value by %s in its own encoding, so that an index serves (learn: data type precedence)',
  (name, operator, text) => {
    const type = typed(name);
    const compared = { kind: 'compare', operator, left: column(type), right: value(type, 'value') };
    expect(printed(compared as Condition)).toBe(whole(text));
  },
);

test.each(rows<[type: string, use: ParameterUse, text: string]>`
  nvarchar(80) | begins   | C LIKE @p1
  nvarchar(80) | wildcard | C LIKE @p1
  nchar(10)    | begins   | (C LIKE @p1 AND RTRIM(C) LIKE @p1)
  nchar(10)    | wildcard | (C LIKE (@p1 + N'%') AND RTRIM(C) LIKE @p1)
  nchar(10)    | contains | RTRIM(C) LIKE @p1
  varchar(40)  | begins   | (C LIKE {@p1} AND C LIKE @p1)
  varchar(40)  | contains | (C LIKE {@p1} AND C LIKE @p1)
  char(5)      | begins   | (C LIKE {@p1} AND RTRIM(C) LIKE @p1)
  char(5)      | wildcard | (C LIKE {(@p1 + N'%')} AND RTRIM(C) LIKE @p1)
`)(
  'a pattern is sought bare in %s by %s, and matched without the padding (learn: like)',
  (name, use, text) => {
    const type = typed(name);
    const like = { kind: 'like', left: column(type), right: value(type, use) } as const;
    expect(printed({ ...like, negated: false })).toBe(whole(text));
    const opposite = text.replaceAll(' LIKE ', ' NOT LIKE ').replace(' AND ', ' OR ');
    expect(printed({ ...like, negated: true })).toBe(whole(opposite));
  },
);

test.each(rows`
  nvarchar(40)       | C = @p1                 | C LIKE @p1
  nvarchar(40) EXACT | LOWER(C) = LOWER(@p1)   | LOWER(C) LIKE LOWER(@p1)
  varchar(40) EXACT  | LOWER(C) = LOWER(@p1)   | LOWER(C) LIKE LOWER(@p1)
  nchar(40) EXACT    | LOWER(C) = LOWER(@p1)   | LOWER(RTRIM(C)) LIKE LOWER(@p1)
  varchar(40)        | (C = {@p1} AND C = @p1) | (C LIKE {@p1} AND C LIKE @p1)
`)(
  'case of %s is folded where the collation does not ignore it (learn: collation and Unicode support)',
  (name, equal, like) => {
    const type = typed(name);
    const left = folded(column(type));
    const right = folded(value(type, 'value'));
    expect(printed({ kind: 'compare', operator: '=', left, right })).toBe(whole(equal));
    const begins = folded(value(type, 'begins'));
    expect(printed({ kind: 'like', negated: false, left, right: begins })).toBe(whole(like));
  },
);

test.each(rows`
  nvarchar(4000) | varchar(40) | char(5) UTF8 | nvarchar(40)
  nvarchar(50)   | decimal     | date         | datetime2 | time
`)(
  'every text is bound as Unicode, by %s: a varchar would need a code page of the database (learn: collation and Unicode support)',
  (bound, ...types) => {
    for (const type of types) {
      expect(dialect.parameterType(value(typed(type), 'value'), 'plain')).toBe(bound);
    }
    const long = value(typed('varchar(8000)'), 'value');
    expect(dialect.parameterType(long, 'x'.repeat(4001))).toBe('nvarchar(max)');
  },
);

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

// Of columns without a key those that fit, and all that a client asks for, before what tells its rows apart.
test.each(rows`
  A, D, E, F | ${''} | A nvarchar(6000), B varchar(3000), C nvarchar(max), D varchar(1900), E decimal(9), F int(4)
  A, B, C    | A nvarchar(8000), B nvarchar(8000), C int(4) | D int(4)
`)('rows are sorted by %s, as 8,060 bytes hold (learn: order by)', (sorted, asked, more) => {
  const terms = (text: string, tieBreak: object): readonly OrderTerm[] =>
    (text === '' ? [] : text.split(', ')).map((term) => {
      const [name = '', type = ''] = term.split(' ');
      return { operand: column(typed(type), name), descending: false, ...tieBreak };
    });
  const select = { kind: 'select', from, joins: [], where: null, window: null } as const;
  const orderBy = [...terms(asked, {}), ...terms(more, { tieBreak: true })];
  const { text } = dialect.print({ ...select, outputs: [{ kind: 'globalStamp' }], orderBy });
  const names = sorted.split(', ').map((name) => `t."${name}"`);
  expect(text.split(' ORDER BY ')[1]).toBe(names.join(', '));
});

/** A column of the type json, which OPENJSON, ISJSON and comparisons take as text only (https://learn.microsoft.com/sql/t-sql/data-types/json-data-type). */
const document = column({ kind: 'json', asText: false, native: 'json' });
const state = { kind: 'jsonProperty', column: document, path: ['state'], as: 'text' } as const;
const text = value(typed('nvarchar(max)'), 'value');

test.each<[what: string, where: Condition | null, printed: string]>([
  ['read', null, ''],
  [
    'of which JSON’s null is null',
    { kind: 'isNull', operand: document, negated: false },
    " WHERE (C IS NULL OR LTRIM(RTRIM(REPLACE(REPLACE(REPLACE(TEXT, NCHAR(9), N' '), NCHAR(10), N' '), NCHAR(13), N' '))) COLLATE Latin1_General_BIN2 = N'null')",
  ],
  [
    'whose properties are looked up',
    { kind: 'compare', operator: '=', left: state, right: text },
    ' WHERE (SELECT TOP (1) j.value FROM OPENJSON(CASE WHEN ISJSON(TEXT) = 1 THEN TEXT END) j WHERE j."key" = @p1 AND j.type IN (1, 2, 3)) = @p2',
  ],
])('a column of the type json is text: %s', (_, where, found) => {
  const outputs = [{ kind: 'value', operand: document }] as const;
  const select = { kind: 'select', from, joins: [], orderBy: [], window: null } as const;
  expect(dialect.print({ ...select, outputs, where }).text).toBe(
    whole(`SELECT TEXT FROM "S"."T" t${found}`.replaceAll('TEXT', 'CONVERT(nvarchar(max), C)')),
  );
});

test('a column of the type json is given text, which the assignment converts', () => {
  const id = { ...column(typed('int'), 'ID'), nullable: false };
  const written = dialect.printWrite({
    ...{ kind: 'update', table: from, rows: 'many', instead: false },
    match: { key: [id], stamp: null, where: null },
    assignments: [{ column: document, value: { kind: 'cell' } }],
  });
  expect(written?.text).toBe(
    'SET NOCOUNT ON; DECLARE @k TABLE ("k0" int); UPDATE "S"."T" SET "C" = k.c0 OUTPUT inserted."ID" INTO @k' +
      " FROM OPENJSON(@p1) WITH (k0 int '$[1]', c0 nvarchar(max) '$[2]') k" +
      ' WHERE "T"."ID" = k.k0; SELECT k."k0" FROM @k k',
  );
});

const int = typed('int');
const [order, position, item, quantity, id] = ['ORD', 'POS', 'ITEM', 'QTY', 'ID'].map((name) =>
  column(int, name, name === 'QTY' || name === 'ID' ? 't1' : 't0'),
) as [ColumnRef, ColumnRef, ColumnRef, ColumnRef, ColumnRef];
const lines = { schema: 'S', name: 'LINE', alias: 't0' };

/** Lines by their keys, with their items. */
const linesByKey: KeyedQuery = {
  ...{ kind: 'keyed', keyColumns: [order, position], from: lines, orderBy: [] },
  outputs: [{ kind: 'value', operand: quantity }],
  joins: [
    {
      ...{ type: 'left', table: { schema: 'S', name: 'ITEM', alias: 't1' }, where: null },
      on: [[item, id]],
    },
  ],
  where: { kind: 'isNull', negated: true, operand: id },
};
const JOINED =
  ' JOIN "S"."LINE" t0 ON t0."ORD" = k.k0 AND t0."POS" = k.k1 LEFT JOIN "S"."ITEM" t1 ON t0."ITEM" = t1."ID" WHERE t1."ID" IS NOT NULL ORDER BY ';

test('the rows of keys, each once, in an order of their own, and the row of a single key', () => {
  const orderBy = [{ operand: order, descending: true }];
  expect(dialect.print({ ...linesByKey, orderBy }).text).toBe(
    `SELECT k.o, t1."QTY" FROM OPENJSON(@p1) WITH (o int '$[0]', k0 int '$[1]', k1 int '$[2]') k${JOINED}t0."ORD" DESC`,
  );
  const many = dialect.print(linesByKey);
  const one = many.ofOneKey?.();
  expect([one?.name, one?.text]).toEqual([
    many.name,
    `SELECT k.o, t1."QTY" FROM (VALUES (0, @p1, @p2)) k(o, k0, k1)${JOINED}k.o`,
  ]);
  expect(one?.parameters).toEqual([0, 1].map((index) => ({ kind: 'rowField', index, type: int })));
  expect(dialect.print({ kind: 'globalStamp' }).ofOneKey).toBeUndefined();
});

/** A key of the code page of its collation. */
const encoded = (collation: string): ColumnRef =>
  column(typed(`char(3) ${collation}`), 'CODE', 't0');

/** The entities that a body names by such keys. */
const byCode = (collation: string, isFolded = false): string =>
  dialect.print({
    ...{ ...linesByKey, keyColumns: [encoded(collation)], outputs: [], joins: [], where: null },
    ...(isFolded ? { folded: true } : {}),
  }).text;

const KEYS = "FROM OPENJSON(@p1) WITH (o int '$[0]', k0 nvarchar(4000) '$[1]') k";
const IS_KEY =
  't0."CODE" = {k.k0} AND CONVERT(nvarchar(4000), {k.k0}) COLLATE Latin1_General_BIN2 = k.k0';

test('a body’s key meets no row of a code page that lacks one of its characters', () => {
  const printed = `SELECT k.o ${KEYS} JOIN "S"."LINE" t0 ON ${IS_KEY} ORDER BY k.o`;
  expect(byCode('LEGACY')).toBe(whole(printed));
  // Cases are told apart by the other collation alone.
  expect(byCode('LEGACY', true)).toBe(byCode('LEGACY'));
  expect(byCode('EXACT', true)).toContain(
    whole(' ON LOWER(t0."CODE") = LOWER(CONVERT(varchar(8000), k.k0 COLLATE EXACT)) AND CONVERT('),
  );
});

test('text of a code page equals no key with a character that the code page lacks', () => {
  const code = encoded('LEGACY');
  const keys = { parameters: [[0], [1]], types: [code.type], meets: ['Line.code'] };
  const { text, parameters } = dialect.print({
    ...{ kind: 'count', from: lines, joins: [] },
    where: { kind: 'keyIn', columns: [code], keys: { kind: 'keys', ...keys } },
  });
  expect(text).toBe(
    whole(`SELECT COUNT_BIG(*) FROM "S"."LINE" t0 WHERE EXISTS (SELECT 1 ${KEYS} WHERE ${IS_KEY})`),
  );
  expect(parameters.map(({ kind }) => kind)).toEqual(['keys']);
});

test.each(['update', 'delete'] as const)('rows can be locked: %s', (lock) => {
  expect(dialect.print({ ...linesByKey, lock }).text).toBe(
    dialect.print(linesByKey).text.replace('"LINE" t0 ON', '"LINE" t0 WITH (UPDLOCK) ON'),
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

/** https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-getapplock-transact-sql */
test('a lock is taken for the session, kept from others for the transaction, and waits for nothing', () => {
  expect(tsqlLocks.acquire.text).toBe(
    "SET NOCOUNT ON; DECLARE @s int; EXEC @s = sp_getapplock @Resource = @p1, @LockMode = 'Exclusive'," +
      " @LockOwner = 'Session', @LockTimeout = 0; SELECT CASE WHEN @s >= 0 THEN 1 ELSE 0 END",
  );
  expect(tsqlLocks.share.text).toBe(
    "SET NOCOUNT ON; DECLARE @s int; EXEC @s = sp_getapplock @Resource = @p1, @LockMode = 'Shared'," +
      " @LockOwner = 'Transaction', @LockTimeout = 0; SELECT 0 AS o WHERE @s < 0",
  );
  expect(tsqlLocks.release.text).toBe(
    'SET NOCOUNT ON; DECLARE @s int; EXEC @s = sp_releaseapplock @Resource = @p1,' +
      " @LockOwner = 'Session'; SELECT CASE WHEN @s >= 0 THEN 1 ELSE 0 END",
  );
});

/** https://learn.microsoft.com/sql/t-sql/functions/applock-test-transact-sql */
test('of many names it is only asked whether their locks are taken', () => {
  expect(tsqlLocks.test.text).toBe(
    "SELECT k.o FROM OPENJSON(@p1) WITH (o int '$[0]', n nvarchar(255) '$[1]') k" +
      " WHERE APPLOCK_TEST('public', k.n, 'Shared', 'Transaction') = 0",
  );
});
