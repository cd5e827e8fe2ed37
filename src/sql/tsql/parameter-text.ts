import type { ColumnType } from '../../schema/types.ts';
import { localText } from '../local-time.ts';

/**
 * A canonical text as the statements take it. Local time is converted here: `AT TIME ZONE` takes a local time that is there
 * twice for the first one, and asks the operating system row by row
 * (https://learn.microsoft.com/sql/t-sql/queries/at-time-zone-transact-sql).
 */
export function parameterText(text: string, type: ColumnType, timeZone: string): string {
  if (type.kind === 'timestamp' && !type.zoned) return localText(text, type, timeZone);
  return type.kind === 'opaque' && type.native === 'xml' ? withoutDeclaration(text) : text;
}

/**
 * XML without its declaration, which the server drops: with an encoding other than UTF-16 it would refuse the text (9402).
 * https://learn.microsoft.com/sql/relational-databases/xml/create-instances-of-xml-data
 */
function withoutDeclaration(xml: string): string {
  return xml.replace(/^\uFEFF?<\?xml\s[^>]*\?>/, '');
}
