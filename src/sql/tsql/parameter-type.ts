import type { Parameter } from '../../query/ir.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { BoundParameter } from '../dialect.ts';
import { isUnicode } from './native-type.ts';

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
  | 'varchar(50)'
  | 'varchar(8000)'
  | 'varchar(max)'
  | 'nvarchar(4000)'
  | 'nvarchar(max)'
  | 'varbinary(max)';

/**
 * The native type that a parameter is bound as. One query shape is one plan: lengths are the largest of the type's family, never
 * the column's or the value's. What the driver would round or shift is bound as text, and converted by the statement.
 */
export function parameterType({ parameter, value }: BoundParameter): ParameterType {
  switch (parameter.kind) {
    case 'keyList':
    case 'rows':
      return 'nvarchar(max)';
    case 'content':
      return 'varbinary(max)';
    case 'constant':
      return unicode(value);
    case 'part':
      return valueType(parameter.type, value);
    case 'parameter':
      return usedType(parameter, value);
  }
}

function usedType({ type, use }: Parameter, value: string | null): ParameterType {
  switch (use) {
    case 'count':
      return 'bigint';
    case 'list':
      return 'nvarchar(max)';
    case 'wildcard':
    case 'begins':
    case 'contains':
    case 'value':
      return valueType(type, value);
  }
}

function valueType(type: ColumnType, value: string | null): ParameterType {
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
      return 'varchar(50)';
    case 'text':
      // Unicode in a varchar parameter would turn into question marks, and equal them.
      if (isUnicode(type) || !isAscii(value ?? '')) return unicode(value);
      return (value ?? '').length > 8000 ? 'varchar(max)' : 'varchar(8000)';
    case 'json':
    case 'binary':
    case 'opaque':
      return unicode(value);
  }
}

function unicode(value: string | null): ParameterType {
  return (value ?? '').length > 4000 ? 'nvarchar(max)' : 'nvarchar(4000)';
}

function isAscii(text: string): boolean {
  return !/[^\u0020-\u007e\s]/.test(text);
}
