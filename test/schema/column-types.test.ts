import { expect, test } from 'vitest';
import { areComparable } from '../../src/schema/type-rules.ts';
import { typeName } from '../../src/schema/translate.ts';
import type { ColumnType } from '../../src/schema/types.ts';

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
