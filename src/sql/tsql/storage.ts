import type { ColumnType } from '../../schema/types.ts';
import type { RowField } from '../write-printer.ts';
import { baseType } from './expressions.ts';

/**
 * The part of a row that is stored, as an item of OPENJSON. Text is as long as it is: what is too long for its column is
 * refused by the assignment, not cut.
 */
export function cellItem({ name, type, at }: Omit<RowField, 'isCompared'>): string {
  return `${name} ${cellType(type)} '$[${at}]'`;
}

function cellType(type: ColumnType): string {
  switch (type.kind) {
    case 'boolean':
    case 'integer':
    case 'float':
    case 'uuid':
      return type.native;
    case 'decimal':
    case 'date':
    case 'time':
    case 'timestamp':
      return 'nvarchar(50)';
    case 'text':
    case 'json':
    case 'binary':
    case 'hex':
    case 'opaque':
      return 'nvarchar(max)';
  }
}

/**
 * Text of a cell as a value that its column is assigned from. Times have at most seven digits behind their
 * point: text with more would be refused
 * (https://learn.microsoft.com/sql/t-sql/data-types/datetime2-transact-sql).
 * @param column the column's present value in the row that is changed; null for a new row
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
      return storedOpaque(text, type, column);
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
 * The types that JSON has no word for, from the text that they are read as. A geometry keeps the reference system of the
 * value that it replaces, because its text does not say it
 * (https://learn.microsoft.com/sql/t-sql/spatial-geometry/stgeomfromtext-geometry-data-type).
 */
function storedOpaque(text: string, type: ColumnType, column: string | null): string {
  const base = baseType(type.native);
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
