import type { CoarseTime, ColumnType, Table, TypeKind } from '../types.ts';
import type { CatalogRows, Row } from './rows.ts';

/** The `temporal_type` of the table that keeps what a system-versioned one held before. */
const HISTORY = 1;

/**
 * A transaction uses a memory-optimized table by snapshots alone, which the database itself can ensure
 * (https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/transactions-with-memory-optimized-tables).
 */
const NEEDS_SNAPSHOT =
  'it is memory-optimized, and cannot be written to while the database lacks a setting (error 41368): ' +
  'ALTER DATABASE CURRENT SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON';

/** The properties of a table that sys.tables and sys.databases tell. */
export function readKind([, temporalType, inMemory, elevatesToSnapshot]: Row<'tableKinds'>): Pick<
  Table,
  'readOnly' | 'unlockable' | 'notes'
> {
  return {
    ...(temporalType === HISTORY ? { readOnly: true } : {}),
    // It knows no locks: of two transactions that change a row the later one fails.
    ...(inMemory ? { unlockable: true } : {}),
    ...(inMemory && !elevatesToSnapshot ? { notes: [NEEDS_SNAPSHOT] } : {}),
  };
}

/** The names of base types in lower case, by the ids of types. */
export type TypeNames = ReadonlyMap<number, string>;

/** Reads the names of types. An alias type, such as sysname, has the name of its base type; a CLR type's system type is not a row of its own. */
export function baseTypes(rows: CatalogRows['types']): TypeNames {
  const names = new Map(rows.map(([id, , name]) => [id, name]));
  return new Map(
    rows.map(([id, systemId, name]) => [id, (names.get(systemId) ?? name).toLowerCase()]),
  );
}

/** The type of a column or a parameter. @param bytes -1 for max */
export function catalogType(
  names: TypeNames,
  typeId: number,
  bytes: number,
  precision: number,
  scale: number,
  collation: string | null,
): ColumnType {
  return readType({ name: names.get(typeId) ?? 'sql_variant', bytes, precision, scale, collation });
}

/** A type as `sys.columns` describes it, by the name of its base type in lower case. */
interface CatalogType {
  readonly name: string;
  /** -1 for max. */
  readonly bytes: number;
  readonly precision: number;
  readonly scale: number;
  readonly collation: string | null;
}

/** https://learn.microsoft.com/sql/t-sql/data-types/datetime-transact-sql */
const DATETIME: CoarseTime = {
  first: '1753-01-01T00:00:00Z',
  last: '9999-12-31T23:59:59.997Z',
  step: 'tick',
};

/** https://learn.microsoft.com/sql/t-sql/data-types/smalldatetime-transact-sql */
const SMALLDATETIME: CoarseTime = {
  first: '1900-01-01T00:00:00Z',
  last: '2079-06-06T23:59:00Z',
  step: 'minute',
};

/** https://learn.microsoft.com/sql/t-sql/data-types/money-and-smallmoney-transact-sql */
const MONEY: TypeKind = {
  kind: 'decimal',
  precision: 19,
  scale: 4,
  range: { lowest: '-922337203685477.5808', highest: '922337203685477.5807' },
  stepped: true,
};

const SMALLMONEY: TypeKind = {
  kind: 'decimal',
  precision: 10,
  scale: 4,
  range: { lowest: '-214748.3648', highest: '214748.3647' },
  stepped: true,
};

/**
 * A decimal of SQL Server's. Values are compared as exactly that type: one of more digits would convert the column, and no index would serve
 * (https://learn.microsoft.com/sql/t-sql/data-types/data-type-precedence-transact-sql).
 */
export function decimalType(name: string, precision: number, scale: number): ColumnType {
  const whole = '9'.repeat(precision - scale);
  const highest = `${whole === '' ? '0' : whole}${scale === 0 ? '' : `.${'9'.repeat(scale)}`}`;
  return {
    kind: 'decimal',
    precision,
    scale,
    range: { lowest: `-${highest}`, highest },
    stepped: true,
    native: `${name}(${precision},${scale})`,
  };
}

/** Whether the engine changes the column with each change of its row. The type has two names. */
export function isRowVersion({ native }: ColumnType): boolean {
  return native === 'timestamp' || native === 'rowversion';
}

/** The column type of a native one; opaque if JSON has no word for it (https://learn.microsoft.com/sql/t-sql/data-types/data-types-transact-sql). */
export function readType({ name, bytes, precision, scale, collation }: CatalogType): ColumnType {
  switch (name) {
    case 'decimal':
    case 'numeric':
      return decimalType(name, precision, scale);
    case 'float':
      return { kind: 'float', bits: precision <= 24 ? 32 : 64, native: name };
    case 'char':
    case 'nchar':
    case 'varchar':
    case 'nvarchar':
    case 'text':
    case 'ntext':
      return textType(name, bytes, collation);
    case 'datetime2':
    case 'datetimeoffset':
      return {
        kind: 'timestamp',
        zoned: name === 'datetimeoffset',
        // A value of more digits than a column has would convert the column: it is compared as the column's type.
        ...(scale < 7 ? { fractionDigits: scale, stepped: true } : {}),
        native: `${name}(${scale})`,
      };
    case 'time':
      return { kind: 'time', ...fractionDigits(scale), native: `time(${scale})` };
    default:
      return { ...(FIXED.get(name) ?? { kind: 'opaque' }), native: name };
  }
}

/** Types without length, precision or scale. */
const FIXED: ReadonlyMap<string, TypeKind> = new Map<string, TypeKind>([
  ['bit', { kind: 'boolean' }],
  ['tinyint', { kind: 'integer', bits: 8, signed: false }],
  ['smallint', { kind: 'integer', bits: 16, signed: true }],
  ['int', { kind: 'integer', bits: 32, signed: true }],
  ['bigint', { kind: 'integer', bits: 64, signed: true }],
  ['money', MONEY],
  ['smallmoney', SMALLMONEY],
  ['real', { kind: 'float', bits: 32 }],
  ['uniqueidentifier', { kind: 'uuid' }],
  ['date', { kind: 'date' }],
  ['datetime', { kind: 'timestamp', zoned: false, coarse: DATETIME }],
  ['smalldatetime', { kind: 'timestamp', zoned: false, coarse: SMALLDATETIME }],
  ['json', { kind: 'json', asText: false }],
  ['binary', { kind: 'binary' }],
  ['varbinary', { kind: 'binary' }],
  ['image', { kind: 'binary' }],
  ['timestamp', { kind: 'binary' }],
  ['rowversion', { kind: 'binary' }],
]);

/** https://learn.microsoft.com/sql/t-sql/data-types/datetime2-transact-sql */
function fractionDigits(scale: number): { readonly fractionDigits?: number } {
  return scale < 7 ? { fractionDigits: scale } : {};
}

/** Lengths are in bytes, -1 for max; the types that begin with n take two for each character. */
function textType(name: string, bytes: number, collation: string | null): ColumnType {
  const isOld = name === 'text' || name === 'ntext';
  const maxLength = isOld || bytes < 0 ? null : name.startsWith('n') ? bytes / 2 : bytes;
  return {
    kind: 'text',
    maxLength,
    padded: name === 'char' || name === 'nchar',
    native: isOld ? name : `${name}(${maxLength ?? 'max'})`,
    ...(collation === null ? {} : { collation }),
  };
}
