import { decimalDigits } from './type-rules.ts';
import { decimalType } from './sqlserver/types.ts';
import type { ColumnType, PhysicalSchema, Table } from './types.ts';

/** Translates a schema, to print statements for an engine that is not at hand. What only one engine has (xmin, rowversion) is dropped or replaced. */
export function translateSchema(
  schema: PhysicalSchema,
  dialect: 'postgres' | 'tsql',
): PhysicalSchema {
  return {
    ...schema,
    tables: schema.tables.map((table) => ({
      ...withoutParts(table),
      columns: table.columns.map((column) => ({
        ...column,
        type: translateType(column.type, dialect),
      })),
      rowVersion: dialect === 'postgres' && table.kind === 'table' ? XMIN : null,
    })),
  };
}

function withoutParts(table: Table): Table {
  const { changeTracking, isInherited, ...rest } = table;
  return changeTracking === true || isInherited === true ? rest : table;
}

const XMIN: Table['rowVersion'] = { kind: 'xmin' };

/** A column type as a dialect has it, under its own name there. */
export function translateType(type: ColumnType, dialect: 'postgres' | 'tsql'): ColumnType {
  const { kind } = type;
  const native = dialect === 'tsql' ? tsqlName(type) : postgresName(type);
  if (kind === 'text') return { kind, maxLength: type.maxLength, padded: type.padded, native };
  if (kind === 'json') return { kind, asText: type.asText, native };
  if (kind !== 'decimal') return { ...type, native };
  // A type's own range and step are those of its engine. SQL Server's scale is from 0 to the precision.
  const { precision, scale } = type;
  if (dialect === 'postgres') return { kind, precision, scale, native };
  const { whole, fraction } = decimalDigits(type) ?? { whole: 28, fraction: 10 };
  return decimalType('decimal', whole + fraction, fraction);
}

/** The names of types that have one name each. */
const NAMES = {
  boolean: { tsql: 'bit', postgres: 'bool' },
  decimal: { tsql: 'decimal', postgres: 'numeric' },
  uuid: { tsql: 'uniqueidentifier', postgres: 'uuid' },
  date: { tsql: 'date', postgres: 'date' },
  time: { tsql: 'time(7)', postgres: 'time' },
  binary: { tsql: 'varbinary', postgres: 'bytea' },
  hex: { tsql: 'varbinary', postgres: 'bytea' },
  opaque: { tsql: 'sql_variant', postgres: 'text' },
} as const;

/** https://learn.microsoft.com/sql/t-sql/data-types/data-types-transact-sql */
function tsqlName(type: ColumnType): string {
  const { kind } = type;
  if (kind === 'text') return `${type.padded ? 'nchar' : 'nvarchar'}(${type.maxLength ?? 'max'})`;
  if (kind === 'integer')
    return { 8: 'tinyint', 16: 'smallint', 32: 'int', 64: 'bigint' }[type.bits];
  if (kind === 'float') return type.bits === 32 ? 'real' : 'float';
  if (kind === 'timestamp') return type.zoned ? 'datetimeoffset(7)' : 'datetime2(7)';
  return kind === 'json' ? 'nvarchar(max)' : NAMES[kind].tsql;
}

/** https://www.postgresql.org/docs/current/datatype.html */
function postgresName(type: ColumnType): string {
  const { kind } = type;
  if (kind === 'text') return type.padded ? 'bpchar' : type.maxLength === null ? 'text' : 'varchar';
  if (kind === 'integer') return { 8: 'int2', 16: 'int2', 32: 'int4', 64: 'int8' }[type.bits];
  if (kind === 'float') return type.bits === 32 ? 'float4' : 'float8';
  if (kind === 'timestamp') return type.zoned ? 'timestamptz' : 'timestamp';
  return kind === 'json' ? (type.asText ? 'text' : 'jsonb') : NAMES[kind].postgres;
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
