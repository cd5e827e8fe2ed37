import type { ColumnType } from '../../schema/types.ts';
import { comparable } from './expressions.ts';
import { baseType } from './native-type.ts';
import { opaqueText } from './opaque-text.ts';

/**
 * A column in a form in which the driver's own readers lose nothing of it. Text is made as Unicode, because a database's own collation may
 * have no code page (https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support).
 */
export function losslessText(name: string, type: ColumnType): string {
  switch (type.kind) {
    case 'decimal':
      // money as text has two decimals; as a decimal it has all four.
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
