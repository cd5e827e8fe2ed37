import type { ColumnType } from '../../schema/types.ts';
import type { RowField } from '../write-printer.ts';
import { baseType, listItemType } from './expressions.ts';

/** A field of a row that is stored, as an item of OPENJSON. Text has any length: the assignment refuses what is too long, instead of cutting it. */
export function cellItem({ name, type, at }: Omit<RowField, 'isCompared'>): string {
  const { kind } = type;
  const isText = kind === 'text' || kind === 'binary' || kind === 'hex';
  return `${name} ${isText ? 'nvarchar(max)' : listItemType(type)} '$[${at}]'`;
}

/**
 * Text of a field as a value that its column is assigned from. Times are cut to seven digits of a second: text with more is refused
 * (https://learn.microsoft.com/sql/t-sql/data-types/datetime2-transact-sql). @param column the present value; null for a new row
 */
export function storedValue(text: string, type: ColumnType, column: string | null): string {
  switch (type.kind) {
    case 'decimal':
      return `CONVERT(decimal(${type.precision ?? 38}, ${type.scale ?? 0}), ${text})`;
    case 'date':
      return `CONVERT(date, ${text}, 23)`;
    case 'time':
      return `CONVERT(time(7), LEFT(${text}, 16), 121)`;
    case 'timestamp':
      return type.zoned
        ? `CONVERT(datetimeoffset(7), REPLACE(LEFT(${text}, 27), 'Z', '') + 'Z', 127)`
        : `CONVERT(datetime2(7), LEFT(${text}, 27), 126)`;
    case 'binary':
    case 'hex':
      return `CONVERT(varbinary(max), ${text}, 2)`;
    case 'opaque':
      return storedOpaque(text, baseType(type.native), column);
    case 'boolean':
    case 'integer':
    case 'float':
    case 'text':
    case 'uuid':
    case 'json':
      return text;
  }
}

/**
 * A value of a type that JSON has no word for, from the text that it is read as. A geometry keeps the reference system, which the text lacks, of the
 * value that it replaces (https://learn.microsoft.com/sql/t-sql/spatial-geometry/stgeomfromtext-geometry-data-type).
 */
function storedOpaque(text: string, base: string, column: string | null): string {
  switch (base) {
    case 'geometry':
    case 'geography': {
      const usual = base === 'geography' ? '4326' : '0';
      const reference = column === null ? usual : `COALESCE(${column}.STSrid, ${usual})`;
      return `${base}::STGeomFromText(${text}, ${reference})`;
    }
    case 'hierarchyid':
      return `hierarchyid::Parse(${text})`;
    case 'xml':
      // Style 1 keeps the white space between elements.
      return `CONVERT(xml, ${text}, 1)`;
    default:
      return text;
  }
}
