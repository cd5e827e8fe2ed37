import type { ColumnType } from './types.ts';

/** The types of values that meet no column: properties inside JSON, and numbers of rows. */

/** Text of any length. */
export const TEXT: ColumnType = { kind: 'text', maxLength: null, padded: false, native: 'text' };

/** Text that is made in a statement, of any length and any characters, and in no column's collation. */
export const MADE_TEXT: ColumnType = {
  kind: 'text',
  maxLength: null,
  padded: false,
  native: 'nvarchar(max)',
};

/** A JSON number; its scale is that which an engine compares JSON numbers with. */
export const NUMBER: Extract<ColumnType, { kind: 'decimal' }> = {
  kind: 'decimal',
  precision: 38,
  scale: 10,
  native: 'numeric',
};

/** A sum of floats. */
export const FLOAT: ColumnType = { kind: 'float', bits: 64, native: 'float8' };

/** True or false. */
export const BOOLEAN: ColumnType = { kind: 'boolean', native: 'bool' };

/** A rowversion of SQL Server as the number that clients know it by. */
export const ROW_VERSION: ColumnType = {
  kind: 'integer',
  bits: 64,
  signed: true,
  native: 'rowversion',
};

/** A number of rows. */
export const COUNT: ColumnType = { kind: 'integer', bits: 64, signed: true, native: 'int8' };
