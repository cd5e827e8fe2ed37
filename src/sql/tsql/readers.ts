import { bufferOf, jsonString, longJsonString, mayBeLong } from '../../base/text.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { DialectSettings, Reader, WireValue } from '../dialect.ts';
import { instantText } from '../local-time.ts';
import {
  embeddedJson,
  floatJson,
  isoTime,
  isoTimestamp,
  longEmbeddedJson,
  numberJson,
  plainDecimal,
  quoted,
  truth,
  wholeNumber,
} from '../json-text.ts';
import { baseType } from './expressions.ts';

/**
 * Readers of the values that come of what the printer selects: numbers for short integers and floats, booleans for bit, bytes for keys
 * of bytes, text for all else.
 */
export function tsqlReader(type: ColumnType, settings: DialectSettings): Reader {
  switch (type.kind) {
    case 'boolean':
      return reader((value) => truth(value, [true, 1], [false, 0]));
    case 'integer':
      return type.bits === 64
        ? reader(String, (value) => numberJson(wholeNumber(value), settings.bigNumbersAsStrings))
        : reader(String, wholeNumber);
    case 'decimal':
      return reader(String, (value) =>
        numberJson(plainDecimal(value), settings.bigNumbersAsStrings),
      );
    case 'float':
      return type.bits === 32
        ? reader(
            (value) => String(shortestSingle(Number(value))),
            (value) => floatJson(Number(value)),
          )
        : reader(String, (value) => floatJson(Number(value)));
    case 'uuid':
      return reader((value) => String(value).toLowerCase(), quoted);
    case 'date':
      return reader(String, quoted);
    case 'timestamp':
      return reader((value) => isoTimestamp(instantOf(String(value), type, settings)), quoted);
    case 'time':
      return reader((value) => isoTime(String(value)), quoted);
    case 'json':
      return {
        ...reader(String, embeddedJson),
        longJson: (value) => longEmbeddedJson(String(value)),
      };
    case 'hex':
      return reader(
        (value) =>
          Buffer.from(value as Uint8Array)
            .toString('hex')
            .toUpperCase(),
        quoted,
      );
    case 'text':
      return mayBeLong(type.maxLength) ? longTextReader : textReader;
    case 'opaque':
      return longTextReader;
    case 'binary':
      return textReader;
  }
}

/** Date-times without offset come as they are written. */
function instantOf(text: string, type: ColumnType, { timeZone }: DialectSettings): string {
  return type.kind === 'timestamp' && type.zoned ? text : instantText(text, type, timeZone);
}

/** Native types of which a value comes over the wire whole, as the text that CONVERT would make of it. */
const READ_WHOLE: ReadonlySet<string> = new Set([
  ...['decimal', 'numeric', 'money', 'smallmoney'],
  ...['date', 'time', 'datetime', 'smalldatetime', 'datetime2', 'datetimeoffset'],
]);

/** Whether a column's values are read as they are, without being converted to text by the server. */
export function isReadWhole({ native }: ColumnType): boolean {
  return READ_WHOLE.has(baseType(native));
}

/**
 * The reader of stamps as they stand in their columns, whole numbers or the bytes of a rowversion: cut to their bits; what would be 0, which marks an
 * undefined reference, is the highest one.
 */
export function stampReader(bits: 53 | 31): Reader {
  const highest = 2 ** bits - 1;
  return reader((value) => {
    const number = value instanceof Uint8Array ? 0 : Number(value);
    if (number > 0 && number <= highest) return String(number);
    const cut = BigInt.asUintN(bits, wholeStamp(value));
    return String(cut === 0n ? highest : cut);
  });
}

function wholeStamp(value: WireValue): bigint {
  return value instanceof Uint8Array
    ? bufferOf(value).readBigUInt64BE()
    : BigInt(wholeNumber(String(value)));
}

/** The reader of counts, ordinals and stamps. */
export const integerReader: Reader = reader(String);

/** The reader of presences. */
export const booleanReader: Reader = tsqlReader(
  { kind: 'boolean', native: 'bit' },
  { timeZone: 'UTC', bigNumbersAsStrings: false },
);

/** The reader of text that is not a column's. */
export const textReader: Reader = reader(String, jsonString);

const longTextReader: Reader = {
  ...textReader,
  longJson: (value) => longJsonString(String(value)),
};

/** The reader of slices. */
export const bytesReader: Reader = {
  ...textReader,
  bytes: (value) => Buffer.from(value as Uint8Array),
};

/** The reader of digests, as hexadecimal digits. */
export const digestReader: Reader = reader(
  (value) => Buffer.from(value as Uint8Array).toString('hex'),
  JSON.stringify,
);

function reader(
  text: (value: WireValue) => string,
  json: (text: string) => string = (value) => value,
): Reader {
  return { text, json: (value) => json(text(value)) };
}

/** The shortest decimal that reads back as the same 4-byte float: tedious hands it over widened to 8 bytes. */
function shortestSingle(value: number): number {
  for (let digits = 6; digits <= 9; digits += 1) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
  }
  return value;
}
