import { bufferOf } from '../../base/text.ts';
import { BOOLEAN } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { DialectSettings } from '../dialect.ts';
import type { Reader, WireValue } from '../ir/statement.ts';
import {
  base64Reader,
  floatJson,
  isoTimestamp,
  quoted,
  reader,
  sharedReader,
  textReader,
  truth,
  wholeNumber,
} from '../readers.ts';
import { instantText } from '../local-time.ts';
import { baseType } from './expressions.ts';

/** Readers of the printer's columns: numbers for short integers and floats, booleans for bit, bytes for keys of bytes, text for all else. */
export function tsqlReader(type: ColumnType, settings: DialectSettings): Reader {
  const { kind } = type;
  if (kind === 'boolean') return reader((value) => truth(value, [true, 1], [false, 0]));
  if (kind === 'hex')
    return reader((value) => bytesOf(value).toString('hex').toUpperCase(), quoted);
  if (kind === 'float' && type.bits === 32) {
    return reader(
      (value) => String(shortestSingle(Number(value))),
      (text) => floatJson(Number(text)),
    );
  }
  if (kind !== 'timestamp') return sharedReader(type, settings);
  return reader((value) => {
    const text = String(value);
    // Date-times without offset come as they are stored.
    return isoTimestamp(type.zoned ? text : instantText(text, type, settings.timeZone));
  }, quoted);
}

function bytesOf(wire: WireValue): Buffer {
  return Buffer.from(wire as Uint8Array);
}

/** The shortest decimal that reads back as the same 4-byte float: tedious hands it over widened to 8 bytes. */
function shortestSingle(value: number): number {
  for (let digits = 6; digits <= 9; digits += 1) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
  }
  return value;
}

/** Native types whose values the driver hands over as the text that CONVERT would make of them. */
const READ_WHOLE: ReadonlySet<string> = new Set([
  ...['decimal', 'numeric', 'money', 'smallmoney'],
  ...['date', 'time', 'datetime', 'smalldatetime', 'datetime2', 'datetimeoffset'],
]);

/** Whether a column's values are read as they are, without being converted to text by the server. */
export function isReadWhole({ native }: ColumnType): boolean {
  return READ_WHOLE.has(baseType(native));
}

/** Reads stamps, whole numbers or the bytes of a rowversion, cut to their bits. 0, which marks an undefined reference, becomes the highest stamp. */
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

/** Reads counts, ordinals and stamps. */
export const integerReader: Reader = reader(String);

/** Reads booleans that are not a column's. */
export const booleanReader = tsqlReader(BOOLEAN, { timeZone: 'UTC', bigNumbersAsStrings: false });

/** Reads slices of bytes. */
export const bytesReader: Reader = { ...textReader, bytes: bytesOf };

/** Reads digests as hexadecimal digits. */
export const digestReader: Reader = reader((value) => bytesOf(value).toString('hex'), quoted);

/** The reader of a result that is selected as columns are; bytes are Base64. */
export function resultReader(type: ColumnType, settings: DialectSettings): Reader {
  return type.kind === 'binary' ? base64Reader(bytesOf) : tsqlReader(type, settings);
}
