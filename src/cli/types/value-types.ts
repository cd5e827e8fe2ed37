import type { StorageAttribute } from '../../model/types.ts';
import type { ColumnType } from '../../schema/types.ts';
import { textLiteral } from './typescript.ts';

/** The TypeScript types of a value, without null. */
export interface ValueType {
  /** As the client gives it. */
  readonly read: string;
  /** As the client takes it. */
  readonly write: string;
  /** The form that the client gives it, where JSON does not tell (`ValueForm` of the client). */
  readonly form?: 'bigint' | 'decimal' | 'image';
}

/** A double holds all decimals of so many digits, and gives them back. */
const EXACT_DIGITS = 15;

/** The types of an attribute's values. */
export function attributeValue({ type, columnType, simpleDate }: StorageAttribute): ValueType {
  if (type === 'image') return { read: 'DeferredImage', write: 'ContentInput', form: 'image' };
  if (type === 'blob') return { read: 'DeferredBlob', write: 'ContentInput' };
  return simpleDate && columnType.kind === 'date'
    ? { read: 'SimpleDate', write: 'SimpleDate | LocalDate' }
    : columnValue(columnType);
}

/** The types of a column's or a parameter's values in a function. */
export function columnValue(type: ColumnType): ValueType {
  switch (type.kind) {
    case 'boolean':
      return same('boolean');
    case 'integer':
      return type.bits === 64
        ? { read: 'bigint', write: 'bigint | number', form: 'bigint' }
        : same('number');
    case 'decimal':
      return type.precision !== null && type.precision <= EXACT_DIGITS
        ? { read: 'number', write: 'number | Decimal' }
        : { read: 'Decimal', write: 'Decimal | number', form: 'decimal' };
    case 'float':
      return same('number');
    case 'text':
    case 'hex':
      return same('string');
    case 'uuid':
      return same('Uuid');
    case 'date':
      return same('LocalDate');
    case 'timestamp':
      return same('Instant');
    case 'time':
      return same('TimeOfDay');
    case 'json':
      return same('JsonValue');
    case 'binary':
      return { read: 'string', write: 'ContentInput' };
    case 'opaque':
      return same(type.values?.map((label) => textLiteral(label)).join(' | ') ?? 'string');
  }
}

function same(type: string): ValueType {
  return { read: type, write: type };
}
