import { attributeOf, type AliasAttribute, type StorageAttribute } from '../model/types.ts';
import type { ColumnType, TypeOf } from '../schema/types.ts';
import { type JsonObject, nullable } from './json-schema.ts';

/** The settings that the forms of values depend on. */
export interface ValueSettings {
  readonly bigNumbersAsStrings: boolean;
}

/** Doubles hold numbers of so many digits exactly, and so the limits of columns. */
const EXACT_DIGITS = 15;

const DIGITS = String.raw`^-?\d+$`;
const DECIMAL = String.raw`^-?(?:\d+(?:\.\d+)?|\.\d+)$`;
const TIME = String.raw`^\d\d:\d\d:\d\d(?:\.\d+)?$`;
const SIMPLE_DATE = String.raw`^\d{1,2}!\d{1,2}!\d{4}$`;

/** The schema of an attribute's values in answers. @param takesNull whether null is taken where none is answered, in bodies */
export function attributeSchema(
  member: StorageAttribute | AliasAttribute,
  isKey: boolean,
  settings: ValueSettings,
  takesNull = false,
): JsonObject {
  const attribute = attributeOf(member);
  const { columnType, column, simpleDate } = attribute;
  const schema =
    simpleDate && columnType.kind === 'date'
      ? { type: 'string', pattern: SIMPLE_DATE }
      : typeSchema(columnType, settings);
  const mayBeNull =
    member.kind === 'alias' ||
    takesNull ||
    (column.nullable && !isKey) ||
    mayBeNoNumber(columnType);
  return {
    ...(mayBeNull ? nullable(schema) : schema),
    ...(member.description === null ? {} : { description: member.description }),
    ...(member.readOnly === null ? {} : { readOnly: true }),
  };
}

/** Whether values may be NaN or infinite, which JSON writes as null. */
function mayBeNoNumber({ kind, native }: ColumnType): boolean {
  return kind === 'float' || (kind === 'decimal' && native === 'numeric');
}

/** The schema of a column type's values in answers, other than null. */
export function typeSchema(type: ColumnType, settings: ValueSettings): JsonObject {
  switch (type.kind) {
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
      return integerSchema(type, settings);
    case 'decimal':
      return decimalSchema(type, settings);
    case 'float':
      return { type: 'number', format: type.bits === 32 ? 'float' : 'double' };
    case 'text':
      return { type: 'string', ...(type.maxLength === null ? {} : { maxLength: type.maxLength }) };
    case 'opaque':
      return { type: 'string', ...(type.values === undefined ? {} : { enum: type.values }) };
    case 'uuid':
      return { type: 'string', format: 'uuid' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'timestamp':
      return { type: 'string', format: 'date-time' };
    case 'time':
      return { type: 'string', pattern: TIME };
    case 'hex':
      return { type: 'string', pattern: '^[0-9A-F]*$' };
    case 'binary':
      return { type: 'string', contentEncoding: 'base64' };
    case 'json':
      return type.items === undefined ? {} : { type: 'array' };
  }
}

function integerSchema(
  { bits, signed }: TypeOf<'integer'>,
  { bigNumbersAsStrings }: ValueSettings,
): JsonObject {
  if (bits === 64) {
    return bigNumbersAsStrings
      ? { type: ['integer', 'string'], format: 'int64', pattern: DIGITS }
      : { type: 'integer', format: 'int64' };
  }
  const values = 2 ** bits;
  return {
    type: 'integer',
    ...(bits === 32 ? { format: 'int32' } : {}),
    minimum: signed ? -values / 2 : 0,
    maximum: signed ? values / 2 - 1 : values - 1,
  };
}

function decimalSchema(
  { precision, scale }: TypeOf<'decimal'>,
  { bigNumbersAsStrings }: ValueSettings,
): JsonObject {
  const whole = precision === null || scale === null ? null : precision - scale;
  const limit = whole === null || whole > EXACT_DIGITS ? null : 10 ** whole;
  const number = scale !== null && scale <= 0 ? 'integer' : 'number';
  return {
    ...(bigNumbersAsStrings && (precision === null || precision > EXACT_DIGITS)
      ? { type: [number, 'string'], pattern: DECIMAL }
      : { type: number }),
    ...(limit === null ? {} : { exclusiveMinimum: -limit, exclusiveMaximum: limit }),
  };
}
