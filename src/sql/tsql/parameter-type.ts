import type { Parameter } from '../ir/ir.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { BoundValue, StatementParameter } from '../dialect.ts';
import { localText } from '../local-time.ts';

/*
 * How parameters are declared, so that one text of a statement has one plan, and columns are met by their indexes:
 * - Text is `nvarchar(4000)` whatever the column's length, `nvarchar(max)` beyond: the column's own length would cut a longer value silently.
 * - A column of a code page meets the value in its own collation, since Unicode would convert the column row by row; what is found is compared once more
 *   in Unicode, for characters that the code page lacks.
 * - Decimals, dates and times travel as `nvarchar(50)` and are converted to the column's type by the statement.
 * - Up to 50 values of a list are parameters of their own, filled up to 1, 3, 10 or 50; longer lists go into a table variable.
 */

/** The native types that parameters are bound as. */
export type ParameterType =
  | 'bit'
  | 'tinyint'
  | 'smallint'
  | 'int'
  | 'bigint'
  | 'real'
  | 'float'
  | 'uniqueidentifier'
  | 'nvarchar(50)'
  | 'nvarchar(4000)'
  | 'nvarchar(max)'
  | 'varbinary(max)';

/**
 * The native type that a parameter is bound as. One query shape is one plan, or two where text is longer than 4,000 characters:
 * lengths are the largest of the type's family, never the column's. What the driver would round or shift is bound as text, and
 * converted by the statement. Text is always Unicode: a varchar would be encoded in the code page of the database, which some
 * collations do not have
 * (https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support).
 */
export function parameterType(parameter: StatementParameter, value: BoundValue): ParameterType {
  const text = typeof value === 'string' ? value : '';
  switch (parameter.kind) {
    case 'keys':
    case 'keyList':
    case 'rows':
      return 'nvarchar(max)';
    case 'bytes':
      return 'varbinary(max)';
    case 'listItem':
      return valueType(parameter.list.type, text);
    case 'offset':
      return 'int';
    case 'slice':
      return 'bigint';
    case 'constant':
      return unicode(text);
    case 'rowField':
      return valueType(parameter.type, text);
    case 'parameter':
      return usedType(parameter, text);
  }
}

function usedType({ type, use }: Parameter, text: string): ParameterType {
  switch (use) {
    case 'count':
      return 'bigint';
    case 'list':
      return 'nvarchar(max)';
    case 'wildcard':
    case 'begins':
    case 'contains':
    case 'value':
      return valueType(type, text);
  }
}

function valueType(type: ColumnType, text: string): ParameterType {
  switch (type.kind) {
    case 'boolean':
      return 'bit';
    case 'integer':
      return ({ 8: 'tinyint', 16: 'smallint', 32: 'int', 64: 'bigint' } as const)[type.bits];
    case 'float':
      return type.bits === 32 ? 'real' : 'float';
    case 'uuid':
      return 'uniqueidentifier';
    case 'decimal':
    case 'date':
    case 'timestamp':
    case 'time':
      return 'nvarchar(50)';
    case 'text':
    case 'json':
    case 'binary':
    case 'hex':
    case 'opaque':
      return unicode(text);
  }
}

function unicode(text: string): ParameterType {
  return text.length > 4000 ? 'nvarchar(max)' : 'nvarchar(4000)';
}

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
