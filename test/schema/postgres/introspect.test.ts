import { expect, test } from 'vitest';
import { ProtocolError, StartupError } from '../../../src/base/errors.ts';
import { introspect } from '../../../src/database/postgres/session.ts';
import {
  postgresSchemaQuery,
  readPostgresSchema,
} from '../../../src/schema/postgres/introspect.ts';
import { translateSchema, typeName } from '../../../src/schema/translate.ts';
import { areComparable } from '../../../src/schema/type-rules.ts';
import type { ColumnType, PhysicalSchema } from '../../../src/schema/types.ts';

/** A table with one numeric column, as the statement tells of it. */
function numericColumn(modifier: number): PhysicalSchema {
  const column = {
    ...{ name: 'n', position: 1, type: 'numeric', typtype: 'b', labels: null, items: null },
    ...{ modifier, nullable: true, identity: '', generated: '', default: null, derived: false },
    description: null,
  };
  const table = {
    ...{ schema: 'public', name: 't', relkind: 'r', filled: true, versioned: true, lockable: true },
    ...{
      description: null,
      columns: [column],
      indexes: [],
      foreignKeys: [],
      checks: [],
      triggers: [],
      rules: [],
    },
  };
  return readPostgresSchema(JSON.stringify([table]));
}

// Modifiers as PostgreSQL 15 makes them: https://github.com/postgres/postgres/blob/master/src/backend/utils/adt/numeric.c
test.each([
  [655_366, 'numeric(10,2)', 10, 2, 'decimal(10,2)'],
  [133_121, 'numeric(2,-3)', 2, -3, 'decimal(5,0)'],
  [196_617, 'numeric(3,5)', 3, 5, 'decimal(5,5)'],
  [65_536_004, 'numeric(1000,0)', 1000, 0, null],
  [66_588, 'numeric(1,-1000)', 1, -1000, null],
  [66_540, 'numeric(1,1000)', 1, 1000, null],
  [-1, 'numeric', null, null, 'decimal(38,10)'],
])('the modifier %d is %s', (modifier, _, precision, scale, translated) => {
  const schema = numericColumn(modifier);
  expect(schema.tables[0]?.columns[0]?.type).toEqual({
    ...{ kind: 'decimal', precision, scale, native: 'numeric' },
  });
  if (translated === null) return;
  expect(translateSchema(schema, 'tsql').tables[0]?.columns[0]?.type.native).toBe(translated);
});

const varchar = (native: string, maxLength: number | null): ColumnType => ({
  kind: 'text',
  maxLength,
  padded: false,
  native,
});
const decimal = (precision: number | null, scale: number | null): ColumnType => ({
  kind: 'decimal',
  precision,
  scale,
  native: 'numeric',
});
const integer: ColumnType = { kind: 'integer', bits: 32, signed: true, native: 'int4' };
const json: ColumnType = { kind: 'json', asText: false, native: 'jsonb' };
const opaque = (native: string): ColumnType => ({ kind: 'opaque', native });

test.each<[type: ColumnType, name: string]>([
  [varchar('varchar', 40), 'varchar(40)'],
  [varchar('nvarchar(40)', 40), 'nvarchar(40)'],
  [varchar('text', null), 'text'],
  [decimal(10, 2), 'numeric(10,2)'],
  [decimal(10, null), 'numeric(10,0)'],
  [decimal(null, null), 'numeric'],
  [integer, 'int4'],
])('%j is called %s', (type, name) => {
  expect(typeName(type)).toBe(name);
});

test.each<[left: ColumnType, right: ColumnType, expected: boolean]>([
  [integer, decimal(10, 2), true],
  [varchar('varchar', 40), varchar('text', null), true],
  [integer, varchar('text', null), false],
  [opaque('mood'), opaque('mood'), true],
  [opaque('mood'), opaque('inet'), false],
  [json, json, false],
])('%j compares with %j: %s', (left, right, expected) => {
  expect(areComparable(left, right)).toBe(expected);
  expect(areComparable(right, left)).toBe(expected);
});

const refusal = new ProtocolError('mayNotRead', 'No.', undefined, new Error('permission denied'));

test('without its routines, the tables of a database are served', async () => {
  const read = (text: string): Promise<readonly (readonly unknown[])[]> =>
    text === postgresSchemaQuery ? Promise.resolve([['[]']]) : Promise.reject(refusal);
  expect(await introspect(read)).toEqual({
    tables: [],
    notes: [
      'The database does not tell which procedures and functions there are. Cause: permission denied',
    ],
  });
});

test('without its tables the message says what was asked, and what the database says', async () => {
  const error: unknown = await introspect(() => Promise.reject(refusal)).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StartupError);
  expect((error as StartupError).problems).toEqual([
    {
      where: 'database',
      message: expect.stringMatching(
        /^the database refused a statement that the gateway needs: SELECT coalesce\(.{480,} …\. Cause: permission denied$/,
      ) as string,
    },
  ]);
});
