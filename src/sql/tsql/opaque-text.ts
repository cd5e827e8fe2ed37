import type { ColumnType } from '../../schema/types.ts';
import { baseType, comparable } from './expressions.ts';

/** The text of types that JSON lacks, WKT for geometries (https://learn.microsoft.com/sql/t-sql/spatial-geometry/astextzm-geometry-data-type). */
export function opaqueText(name: string, base: string): string {
  switch (base) {
    case 'geometry':
    case 'geography':
      return `${name}.AsTextZM()`;
    case 'hierarchyid':
      return `${name}.ToString()`;
    case 'sql_variant':
      return variantText(name);
    default:
      return `CONVERT(nvarchar(max), ${name})`;
  }
}

/**
 * The value of a sql_variant as lossless text: converted as it is, a date loses its seconds, money two of its decimals and a float its last digits
 * (https://learn.microsoft.com/sql/t-sql/functions/cast-and-convert-transact-sql).
 */
function variantText(name: string): string {
  // SQL_VARIANT_PROPERTY answers a sql_variant itself.
  const base = `CONVERT(nvarchar(128), SQL_VARIANT_PROPERTY(${name}, 'BaseType'))`;
  const cases = VARIANTS.map(([bases, type, style]) => {
    const named = bases.map((one) => `N'${one}'`).join(', ');
    return ` WHEN ${base} IN (${named}) THEN CONVERT(nvarchar(max), CONVERT(${type}, ${name})${style})`;
  });
  return `CASE${cases.join('')} ELSE CONVERT(nvarchar(max), ${name}) END`;
}

/** Base types whose plain conversion to text loses something, what they are first converted to, and the style. */
const VARIANTS: readonly (readonly [bases: readonly string[], type: string, style: string])[] = [
  [['money', 'smallmoney'], 'decimal(19, 4)', ''],
  [['float', 'real'], 'float', ', 3'],
  [['date'], 'date', ', 23'],
  [['datetime', 'smalldatetime'], 'datetime', ', 126'],
  [['datetime2'], 'datetime2(7)', ', 126'],
  [['datetimeoffset'], 'datetimeoffset(7)', ', 126'],
  [['time'], 'time(7)', ', 121'],
  [['binary', 'varbinary'], 'varbinary(8000)', ', 1'],
];

/**
 * A column in a form in which the driver's own readers lose nothing of it. Text is Unicode, because a database's collation may have no code page
 * (https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support).
 */
export function losslessText(name: string, type: ColumnType): string {
  switch (type.kind) {
    case 'decimal':
      // As text, money has two decimals; as a decimal it has all four.
      return baseType(type.native).endsWith('money')
        ? `CONVERT(nvarchar(42), CONVERT(decimal(19, 4), ${name}))`
        : `CONVERT(nvarchar(42), ${name})`;
    case 'date':
      return `CONVERT(nvarchar(10), ${name}, 23)`;
    case 'timestamp':
      return type.zoned
        ? `CONVERT(nvarchar(27), CONVERT(datetime2(7), SWITCHOFFSET(${name}, '+00:00')), 126)`
        : `CONVERT(nvarchar(27), ${name}, 126)`;
    case 'time':
      return `CONVERT(nvarchar(16), ${name}, 121)`;
    case 'opaque':
      return opaqueText(name, baseType(type.native));
    case 'json':
      return comparable(name, type);
    case 'boolean':
    case 'integer':
    case 'float':
    case 'text':
    case 'uuid':
    case 'binary':
    case 'hex':
      return name;
  }
}
