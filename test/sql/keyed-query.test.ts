import { expect, test } from 'vitest';
import type { ColumnRef, KeyedQuery } from '../../src/sql/ir/ir.ts';
import type { ColumnType } from '../../src/schema/types.ts';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';

const settings = { timeZone: 'UTC', bigNumbersAsStrings: false };

function query(integer: ColumnType): KeyedQuery {
  const column = (alias: string, name: string): ColumnRef => ({
    kind: 'column',
    alias,
    name,
    type: integer,
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

const postgres = postgresDialect(settings, { version: 18 });
const tsql = tsqlDialect(settings);
const int4: ColumnType = { kind: 'integer', bits: 32, signed: true, native: 'int4' };
const int: ColumnType = { ...int4, native: 'int' };

test('PostgreSQL: the rows of keys, each once, in the order of the keys', () => {
  const { text, parameters, readers } = postgres.print(query(int4));
  expect(text).toBe(
    'SELECT k.o, t1."QTY" FROM (SELECT (e->>0)::int4 AS o, (e->>1)::"int4" AS k0, (e->>2)::"int4" AS k1' +
      ' FROM json_array_elements($1::json) e LIMIT json_array_length($1::json)) k JOIN "S"."LINE" t0 ON t0."ORD" = k.k0 AND t0."POS" = k.k1' +
      ' LEFT JOIN "S"."ITEM" t1 ON t0."ITEM" = t1."ID" WHERE t1."ID" IS NOT NULL ORDER BY k.o',
  );
  expect(parameters).toEqual([{ kind: 'keyList', types: [int4, int4] }]);
  expect(readers).toHaveLength(2);
});

test('T-SQL: the rows of keys, each once, in an order of their own', () => {
  const asked = query(int);
  const [operand] = asked.keyColumns;
  if (operand === undefined) throw new Error('no key');
  const { text } = tsql.print({ ...asked, orderBy: [{ operand, descending: true }] });
  expect(text).toBe(
    "SELECT k.o, t1.\"QTY\" FROM OPENJSON(@p1) WITH (o int '$[0]', k0 int '$[1]', k1 int '$[2]') k" +
      ' JOIN "S"."LINE" t0 ON t0."ORD" = k.k0 AND t0."POS" = k.k1' +
      ' LEFT JOIN "S"."ITEM" t1 ON t0."ITEM" = t1."ID" WHERE t1."ID" IS NOT NULL ORDER BY t0."ORD" DESC',
  );
});

test('T-SQL: the row of a single key', () => {
  const many = tsql.print(query(int));
  const statement = many.ofOneKey?.();
  expect(statement?.name).toBe(many.name);
  expect(statement?.text).toBe(
    'SELECT k.o, t1."QTY" FROM (VALUES (0, @p1, @p2)) k(o, k0, k1)' +
      ' JOIN "S"."LINE" t0 ON t0."ORD" = k.k0 AND t0."POS" = k.k1' +
      ' LEFT JOIN "S"."ITEM" t1 ON t0."ITEM" = t1."ID" WHERE t1."ID" IS NOT NULL ORDER BY k.o',
  );
  expect(statement?.parameters).toEqual([
    { kind: 'rowField', index: 0, type: int },
    { kind: 'rowField', index: 1, type: int },
  ]);
  expect(tsql.print({ kind: 'globalStamp' }).ofOneKey).toBeUndefined();
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
  return { ...query(int), keyColumns: [column], outputs: [], joins: [], where: null };
}

test('T-SQL: a body’s key meets no row of a code page that lacks one of its characters', () => {
  const { text } = tsql.print(byCode(encoded('Latin1_General_CI_AS')));
  expect(text).toBe(
    'SELECT k.o FROM OPENJSON(@p1) WITH (o int \'$[0]\', k0 nvarchar(4000) \'$[1]\') k JOIN "S"."LINE" t0' +
      ' ON t0."CODE" = CONVERT(varchar(8000), k.k0 COLLATE Latin1_General_CI_AS)' +
      ' AND CONVERT(nvarchar(4000), CONVERT(varchar(8000), k.k0 COLLATE Latin1_General_CI_AS)) COLLATE Latin1_General_BIN2 = k.k0' +
      ' ORDER BY k.o',
  );
});

test('T-SQL: keys are compared in one case where their collation tells cases apart, and only there', () => {
  const folded = (collation: string): string =>
    tsql.print({ ...byCode(encoded(collation)), folded: true }).text;
  expect(folded('Latin1_General_CI_AS')).toBe(
    tsql.print(byCode(encoded('Latin1_General_CI_AS'))).text,
  );
  expect(folded('Latin1_General_CS_AS')).toContain(
    ' ON LOWER(t0."CODE") = LOWER(CONVERT(varchar(8000), k.k0 COLLATE Latin1_General_CS_AS)) AND CONVERT(',
  );
});

test('PostgreSQL: keys are compared in one case', () => {
  const { text } = postgres.print({
    ...query({ kind: 'text', maxLength: null, padded: false, native: 'text' }),
    folded: true,
  });
  expect(text).toContain(
    ' ON LOWER(t0."ORD") = LOWER(k.k0) AND LOWER(t0."POS") = LOWER(k.k1) LEFT JOIN',
  );
});

test('T-SQL: text of a code page equals no key with a character that the code page lacks', () => {
  const column = encoded('Latin1_General_CI_AS');
  const { text, parameters } = tsql.print({
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
  const locking = { ...query(int4), orderBy: [], lock };
  expect(postgres.print(locking).text).toBe(
    `${postgres.print(query(int4)).text} FOR ${lock === 'update' ? 'NO KEY UPDATE' : 'UPDATE'} OF t0`,
  );
  const asked = query(int);
  expect(tsql.print({ ...asked, lock }).text).toBe(
    tsql.print(asked).text.replace('"LINE" t0 ON', '"LINE" t0 WITH (UPDLOCK) ON'),
  );
});
