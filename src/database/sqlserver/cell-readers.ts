import iconv from 'iconv-lite';
import { LONG_TEXT, type TextDecoding, UndecodedText, utf16le } from '../long-text.ts';
import {
  type ColumnMetadata,
  notEnough,
  type ParserOptions,
  readValue,
} from './driver-internals.ts';

/*
 * Reads SQL Server's binary values as the texts of CONVERT (styles 23, 121 and 126), which lose no digit as the driver's numbers and dates do.
 * https://learn.microsoft.com/openspecs/windows_protocols/ms-tds, 2.2.5.5
 */

/** The two digits of each number below 100. */
const TWO = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

/** @param units the digits without sign and point @param scale the number of digits after the point */
function decimalText(isNegative: boolean, units: number | bigint, scale: number): string {
  const digits = String(units);
  const sign = isNegative && digits !== '0' ? '-' : '';
  if (scale === 0) return sign + digits;
  const padded = digits.length > scale ? digits : digits.padStart(scale + 1, '0');
  const point = padded.length - scale;
  return `${sign}${padded.slice(0, point)}.${padded.slice(point)}`;
}

/** Days are counted from the first of March of the year 0: so each year ends with its leap day. */
const MARCH_OF_YEAR_0 = 306;
const DAYS_OF_400_YEARS = 146_097;

/** @param days since 0001-01-01 */
function dateText(days: number): string {
  const since = days + MARCH_OF_YEAR_0;
  const era = Math.floor(since / DAYS_OF_400_YEARS);
  const ofEra = since - era * DAYS_OF_400_YEARS;
  const leapDays =
    Math.floor(ofEra / 1460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / 146_096);
  const yearOfEra = Math.floor((ofEra - leapDays) / 365);
  const ofYear =
    ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const month = Math.floor((5 * ofYear + 2) / 153);
  const day = ofYear - Math.floor((153 * month + 2) / 5) + 1;
  const year = yearOfEra + 400 * era + (month >= 10 ? 1 : 0);
  return `${String(year).padStart(4, '0')}-${TWO[month >= 10 ? month - 9 : month + 3]}-${TWO[day]}`;
}

/** @param units since midnight; 10 to the power of the scale are a second */
function timeText(units: number, scale: number): string {
  const perSecond = 10 ** scale;
  const seconds = Math.floor(units / perSecond);
  const minutes = Math.floor(seconds / 60);
  const whole = `${TWO[Math.floor(minutes / 60)]}:${TWO[minutes % 60]}:${TWO[seconds % 60]}`;
  if (scale === 0) return whole;
  return `${whole}.${String(units - seconds * perSecond).padStart(scale, '0')}`;
}

/** Days from 0001-01-01 to 1900-01-01. */
const DAYS_TO_1900 = 693_595;

/** A buffer, and the offset of the next value. */
export interface Bytes {
  readonly buffer: Buffer;
  at: number;
}

/** Reads the next cell. @throws as the driver's parsers do if the buffer ends too early */
export type CellReader = (bytes: Bytes) => unknown;

/**
 * The reader of a column's cells, in the forms that the dialect's readers take: numbers for integers of up to 32 bits and floats, booleans for
 * bits, bytes for binary columns, text for all else. The driver's own parser, which makes doubles of decimals, dates, and an object for each
 * cell, reads all other types.
 */
export function cellReader(column: ColumnMetadata, options: ParserOptions): CellReader {
  const { type, scale = 0, dataLength } = column;
  const known = Object.hasOwn(fixed, type.name) ? fixed[type.name as keyof typeof fixed] : null;
  if (known !== null) return known;
  const readers = byLength[type.name];
  if (readers !== undefined) return sized((length) => readers[length]);
  switch (type.name) {
    case 'DecimalN':
    case 'NumericN':
      return sized((length) => decimalReader(length, scale));
    case 'Time':
      return sized((length) => (bytes) => timeText(unsigned(bytes, length), scale));
    case 'DateTime2':
      return sized((length) => datetime2Reader(length - 3, scale));
    case 'DateTimeOffset':
      return sized((length) => datetimeOffsetReader(length - 5, scale));
    case 'NVarChar':
    case 'NChar':
      return dataLength === MAX ? parted(unicode, utf16le) : withLength(unicode);
    case 'VarChar':
    case 'Char': {
      const codepage = column.collation?.codepage ?? 'utf8';
      const decode = encoded(codepage);
      return dataLength === MAX
        ? parted(decode, () => iconv.getDecoder(codepage))
        : withLength(decode);
    }
    case 'VarBinary':
    case 'Binary':
      return dataLength === MAX ? parted(binary) : withLength(binary);
    case 'Xml':
      return parted(unicode, utf16le);
    case 'UDT':
      return parted(binary);
    default:
      return (bytes) => {
        const { value, offset } = readValue(bytes.buffer, bytes.at, column, options);
        bytes.at = offset;
        return value;
      };
  }
}

/** The length of null, and of types without a longest length. */
const MAX = 0xffff;

/** Skips bytes. @returns where they begin */
function take(bytes: Bytes, length: number): number {
  const { at } = bytes;
  const end = at + length;
  if (end > bytes.buffer.length) throw notEnough(end);
  bytes.at = end;
  return at;
}

/** Reads a value with its length before it; the reader for each length is made once. */
function sized(readerOf: (length: number) => CellReader | undefined): CellReader {
  const readers: (CellReader | undefined)[] = [];
  return (bytes) => {
    const length = bytes.buffer[take(bytes, 1)] ?? 0;
    if (length === 0) return null;
    const read = (readers[length] ??= readerOf(length));
    if (read === undefined) throw new Error(`no value has ${length} bytes`);
    return read(bytes);
  };
}

const fixed = {
  TinyInt: (bytes: Bytes) => bytes.buffer.readUInt8(take(bytes, 1)),
  SmallInt: (bytes: Bytes) => bytes.buffer.readInt16LE(take(bytes, 2)),
  Int: (bytes: Bytes) => bytes.buffer.readInt32LE(take(bytes, 4)),
  BigInt: readBigInt,
  Bit: (bytes: Bytes) => bytes.buffer[take(bytes, 1)] !== 0,
  Real: (bytes: Bytes) => bytes.buffer.readFloatLE(take(bytes, 4)),
  Float: (bytes: Bytes) => bytes.buffer.readDoubleLE(take(bytes, 8)),
  SmallMoney: (bytes: Bytes) => {
    const units = bytes.buffer.readInt32LE(take(bytes, 4));
    return decimalText(units < 0, Math.abs(units), 4);
  },
  Money: readMoney,
  SmallDateTime: (bytes: Bytes) => {
    const at = take(bytes, 4);
    const [days, minutes] = [bytes.buffer.readUInt16LE(at), bytes.buffer.readUInt16LE(at + 2)];
    return `${dateText(DAYS_TO_1900 + days)}T${timeText(minutes * 60, 0)}`;
  },
  DateTime: (bytes: Bytes) => {
    const at = take(bytes, 8);
    return `${dateText(DAYS_TO_1900 + bytes.buffer.readInt32LE(at))}T${timeText(Math.round((bytes.buffer.readUInt32LE(at + 4) * 10) / 3), 3)}`;
  },
} as const;

/** The readers of types whose values may have several lengths, or be null. */
const byLength: Readonly<Record<string, Readonly<Record<number, CellReader>>>> = {
  IntN: { 1: fixed.TinyInt, 2: fixed.SmallInt, 4: fixed.Int, 8: fixed.BigInt },
  BitN: { 1: fixed.Bit },
  FloatN: { 4: fixed.Real, 8: fixed.Float },
  MoneyN: { 4: fixed.SmallMoney, 8: fixed.Money },
  DateTimeN: { 4: fixed.SmallDateTime, 8: fixed.DateTime },
  UniqueIdentifier: { 16: readGuid },
  Date: { 3: readDate },
};

/** Below this, the upper 32 bits make an exact number. */
const EXACT_HIGH = 2 ** 21;
const HIGH = 2 ** 32;

function readBigInt(bytes: Bytes): string {
  const at = take(bytes, 8);
  const { buffer } = bytes;
  const high = buffer.readInt32LE(at + 4);
  return high < EXACT_HIGH && high > -EXACT_HIGH
    ? String(high * HIGH + buffer.readUInt32LE(at))
    : String(buffer.readBigInt64LE(at));
}

/** The upper half comes first. */
function readMoney(bytes: Bytes): string {
  const at = take(bytes, 8);
  const high = bytes.buffer.readInt32LE(at);
  const low = bytes.buffer.readUInt32LE(at + 4);
  if (high < EXACT_HIGH && high > -EXACT_HIGH) {
    const units = high * HIGH + low;
    return decimalText(units < 0, Math.abs(units), 4);
  }
  const units = BigInt(high) * BigInt(HIGH) + BigInt(low);
  return decimalText(units < 0n, units < 0n ? -units : units, 4);
}

/** Reads a sign, and words of 32 bits, the lowest first. */
function decimalReader(length: number, scale: number): CellReader {
  return (bytes) => {
    const at = take(bytes, length);
    const { buffer } = bytes;
    const isNegative = buffer[at] === 0;
    const low = buffer.readUInt32LE(at + 1);
    if (length === 5) return decimalText(isNegative, low, scale);
    const high = buffer.readUInt32LE(at + 5);
    let isSmall = high < EXACT_HIGH;
    for (let part = at + 9; isSmall && part < at + length; part += 4) {
      isSmall = buffer.readUInt32LE(part) === 0;
    }
    if (isSmall) return decimalText(isNegative, high * HIGH + low, scale);
    let units = 0n;
    for (let part = at + length - 4; part > at; part -= 4) {
      units = (units << 32n) | BigInt(buffer.readUInt32LE(part));
    }
    return decimalText(isNegative, units, scale);
  };
}

/** @param length up to six bytes */
function unsigned(bytes: Bytes, length: number): number {
  return bytes.buffer.readUIntLE(take(bytes, length), length);
}

function readDate(bytes: Bytes): string {
  return dateText(unsigned(bytes, 3));
}

function datetime2Reader(timeLength: number, scale: number): CellReader {
  return (bytes) => {
    const time = unsigned(bytes, timeLength);
    return `${readDate(bytes)}T${timeText(time, scale)}`;
  };
}

/** Date and time are UTC, whatever the offset behind them. */
function datetimeOffsetReader(timeLength: number, scale: number): CellReader {
  const read = datetime2Reader(timeLength, scale);
  return (bytes) => {
    const text = read(bytes);
    take(bytes, 2);
    return text;
  };
}

/** The first three of its five parts are numbers, the lowest byte first. */
function readGuid(bytes: Bytes): string {
  const at = take(bytes, 16);
  const { buffer } = bytes;
  const hex = buffer.toString('hex', at, at + 16);
  return (
    `${hex.slice(6, 8)}${hex.slice(4, 6)}${hex.slice(2, 4)}${hex.slice(0, 2)}` +
    `-${hex.slice(10, 12)}${hex.slice(8, 10)}-${hex.slice(14, 16)}${hex.slice(12, 14)}` +
    `-${hex.slice(16, 20)}-${hex.slice(20)}`
  );
}

type Decode = (buffer: Buffer, start: number, end: number) => unknown;

const unicode: Decode = (buffer, start, end) => buffer.toString('utf16le', start, end);

const binary: Decode = (buffer, start, end) => buffer.subarray(start, end);

/** Decodes text of a code page, all of which include ASCII. */
function encoded(codepage: string): Decode {
  return (buffer, start, end) => {
    for (let at = start; at < end; at += 1) {
      if ((buffer[at] ?? 0) > 127) return iconv.decode(buffer.subarray(start, end), codepage);
    }
    return buffer.toString('latin1', start, end);
  };
}

/** Reads a value with a length of two bytes before it. */
function withLength(decode: Decode): CellReader {
  return (bytes) => {
    const length = bytes.buffer.readUInt16LE(take(bytes, 2));
    if (length === MAX) return null;
    const start = take(bytes, length);
    return decode(bytes.buffer, start, start + length);
  };
}

/** Reads a value in parts (MS-TDS 2.2.5.2.3), all at once if its whole length is known. @param decoder for long texts, which stay undecoded */
function parted(decode: Decode, decoder?: () => TextDecoding): CellReader {
  return (bytes) => {
    const { buffer, at: start } = bytes;
    const whole = buffer.readBigUInt64LE(take(bytes, 8));
    if (whole === NO_PARTS) return null;
    if (whole !== UNKNOWN_LENGTH) {
      const end = bytes.at + Number(whole) + LEAST_FRAME;
      if (whole > 0n && end > buffer.length) throw notEnough(end);
    }
    const parts: Buffer[] = [];
    for (;;) {
      const length = buffer.readUInt32LE(take(bytes, 4));
      if (length === 0) break;
      const from = take(bytes, length);
      parts.push(buffer.subarray(from, from + length));
    }
    if (decoder !== undefined && bytes.at - start > LONG_TEXT) {
      return new UndecodedText(parts, decoder);
    }
    const [only = NOTHING, ...more] = parts;
    const joined = more.length === 0 ? only : Buffer.concat(parts);
    return decode(joined, 0, joined.length);
  };
}

const NO_PARTS = 0xffffffffffffffffn;
const UNKNOWN_LENGTH = 0xfffffffffffffffen;
const NOTHING = Buffer.alloc(0);

/** The lengths of one part, and of the empty last one. */
const LEAST_FRAME = 8;
