import { decimalDigits } from './type-rules.ts';
import { decimalType } from './sqlserver/types.ts';
import type { ColumnType, PhysicalSchema, Table } from './types.ts';

/**
 * A schema as the other engine would have it: the same tables and columns, with types of its own. It serves to print
 * statements for an engine that is not at hand; what only one engine has (xmin, rowversion) is dropped or put in its place.
 */
export function translateSchema(
  schema: PhysicalSchema,
  dialect: 'postgres' | 'tsql',
): PhysicalSchema {
  return {
    ...schema,
    tables: schema.tables.map((table) => ({
      ...table,
      columns: table.columns.map((column) => ({
        ...column,
        type: translateType(column.type, dialect),
      })),
      rowVersion: dialect === 'postgres' && table.kind === 'table' ? XMIN : null,
    })),
  };
}

const XMIN: Table['rowVersion'] = { kind: 'xmin' };

/** A column type as a dialect has it, under its own name there. */
export function translateType(type: ColumnType, dialect: 'postgres' | 'tsql'): ColumnType {
  if (type.kind === 'text') {
    const { kind, maxLength, padded } = type;
    const native =
      dialect === 'tsql'
        ? `${padded ? 'nchar' : 'nvarchar'}(${maxLength ?? 'max'})`
        : padded
          ? 'bpchar'
          : maxLength === null
            ? 'text'
            : 'varchar';
    return { kind, maxLength, padded, native };
  }
  if (type.kind === 'json') {
    const { kind, asText } = type;
    return { kind, asText, native: dialect === 'tsql' ? 'nvarchar(max)' : postgresName(type) };
  }
  if (type.kind === 'decimal') return translateDecimal(type, dialect);
  return { ...type, native: dialect === 'tsql' ? tsqlName(type) : postgresName(type) };
}

/** What a type's own range and step are, its engine says: they do not go with it. SQL Server's scale is from 0 to the precision. */
function translateDecimal(
  { kind, precision, scale }: Extract<ColumnType, { kind: 'decimal' }>,
  dialect: 'postgres' | 'tsql',
): ColumnType {
  if (dialect === 'postgres') return { kind, precision, scale, native: 'numeric' };
  const { whole, fraction } = decimalDigits({ precision, scale }) ?? { whole: 28, fraction: 10 };
  return decimalType('decimal', whole + fraction, fraction);
}

/** https://learn.microsoft.com/sql/t-sql/data-types/data-types-transact-sql */
function tsqlName(type: Exclude<ColumnType, { kind: 'text' | 'decimal' }>): string {
  switch (type.kind) {
    case 'boolean':
      return 'bit';
    case 'integer':
      return { 8: 'tinyint', 16: 'smallint', 32: 'int', 64: 'bigint' }[type.bits];
    case 'float':
      return type.bits === 32 ? 'real' : 'float';
    case 'uuid':
      return 'uniqueidentifier';
    case 'date':
      return 'date';
    case 'timestamp':
      return type.zoned ? 'datetimeoffset(7)' : 'datetime2(7)';
    case 'time':
      return 'time(7)';
    case 'json':
      return 'nvarchar(max)';
    case 'binary':
    case 'hex':
      return 'varbinary';
    case 'opaque':
      return 'sql_variant';
  }
}

/** https://www.postgresql.org/docs/current/datatype.html */
function postgresName(type: Exclude<ColumnType, { kind: 'text' | 'decimal' }>): string {
  switch (type.kind) {
    case 'boolean':
      return 'bool';
    case 'integer':
      return { 8: 'int2', 16: 'int2', 32: 'int4', 64: 'int8' }[type.bits];
    case 'float':
      return type.bits === 32 ? 'float4' : 'float8';
    case 'uuid':
      return 'uuid';
    case 'date':
      return 'date';
    case 'timestamp':
      return type.zoned ? 'timestamptz' : 'timestamp';
    case 'time':
      return 'time';
    case 'json':
      return type.asText ? 'text' : 'jsonb';
    case 'binary':
    case 'hex':
      return 'bytea';
    case 'opaque':
      return 'text';
  }
}

/** The engine's name of a type with its length or precision, as people write it: `varchar(40)`, `numeric(10,2)`. */
export function typeName(type: ColumnType): string {
  const { native } = type;
  if (native.includes('(')) return native;
  if (type.kind === 'text' && type.maxLength !== null) return `${native}(${type.maxLength})`;
  if (type.kind === 'decimal' && type.precision !== null) {
    return `${native}(${type.precision},${type.scale ?? 0})`;
  }
  return native;
}
