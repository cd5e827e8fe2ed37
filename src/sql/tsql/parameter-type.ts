import type { ColumnType } from '../../schema/types.ts';
import type { BoundValue } from '../dialect.ts';
import type { StatementParameter } from '../ir/statement.ts';
import { localText } from '../local-time.ts';

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
 * The native type that a parameter is bound as. One text of a statement has one plan, or two where text is longer than 4,000 characters: a
 * length is the largest of the type's family, never the column's, which would cut a longer value silently. Decimals, dates and times, which the
 * driver would round or shift, are bound as text and converted by the statement. Text is always Unicode: some collations have no code page
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
      if (parameter.use === 'count') return 'bigint';
      return parameter.use === 'list' ? 'nvarchar(max)' : valueType(parameter.type, text);
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
 * A canonical text as the statements take it. Local time is converted here: `AT TIME ZONE` takes the first of two equal local times, and asks the
 * operating system row by row (https://learn.microsoft.com/sql/t-sql/queries/at-time-zone-transact-sql).
 */
export function parameterText(text: string, type: ColumnType, timeZone: string): string {
  if (type.kind === 'timestamp' && !type.zoned) return localText(text, type, timeZone);
  if (type.native !== 'xml') return text;
  // With an encoding other than UTF-16 in its declaration, which the server drops, it would refuse the text (9402):
  // https://learn.microsoft.com/sql/relational-databases/xml/create-instances-of-xml-data
  return text.replace(/^\uFEFF?<\?xml\s[^>]*\?>/, '');
}
