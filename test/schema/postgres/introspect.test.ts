import { expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { introspect } from '../../../src/database/postgres/session.ts';
import {
  postgresSchemaQuery,
  readPostgresSchema,
} from '../../../src/schema/postgres/introspect.ts';
import { translateSchema, typeName } from '../../../src/schema/translate.ts';
import { areComparable } from '../../../src/schema/type-rules.ts';
import type { ColumnType, PhysicalSchema } from '../../../src/schema/types.ts';
import { types } from '../../model/physical.ts';

/** A table with one numeric column, as the statement tells of it. */
function numericColumn(modifier: number): PhysicalSchema {
  const column = {
    ...{ name: 'n', position: 1, type: 'numeric', typtype: 'b', labels: null, items: null },
    ...{ modifier, nullable: true, identity: '', generated: '', default: null, derived: false },
    description: null,
  };
  const table = {
    ...{ schema: 'public', name: 't', relkind: 'r', filled: true, versioned: true, lockable: true },
    ...{ description: null, columns: [column], indexes: [], foreignKeys: [] },
    ...{ checks: [], triggers: [], rules: [] },
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

const { text, int, json, decimal, enum: mood, inet } = types;

test.each<[type: ColumnType, name: string]>([
  [text, 'varchar(40)'],
  [{ ...text, native: 'nvarchar(40)' }, 'nvarchar(40)'],
  [{ ...text, maxLength: null, native: 'text' }, 'text'],
  [decimal, 'numeric(10,2)'],
  [{ ...decimal, scale: null }, 'numeric(10,0)'],
  [{ ...decimal, precision: null, scale: null }, 'numeric'],
  [int, 'int4'],
])('%j is called %s', (type, name) => {
  expect(typeName(type)).toBe(name);
});

test.each<[left: ColumnType, right: ColumnType, expected: boolean]>([
  [int, decimal, true],
  [text, { ...text, native: 'text' }, true],
  [int, text, false],
  [mood, mood, true],
  [mood, inet, false],
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
  const error: unknown = await introspect(() => Promise.reject(refusal)).catch(String);
  expect(error).toMatch(
    /^StartupError: database: the database refused a statement that the gateway needs: SELECT coalesce\(.{480,} …\. Cause: permission denied$/,
  );
});
