import { bufferOf, lengthOf } from '../../base/buffers.ts';
import { EncodedText, type DriverValue } from '../long-text.ts';

/** https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-BIND */
const BIND = 'B'.charCodeAt(0);
const FORMAT = { text: 0, binary: 1 } as const;
const NULL = -1;

/**
 * The message that gives a statement its values, in parts to be written one behind the other: the driver's own is one piece of memory, into which it copies what it
 * encodes at once. All is text but bytes, and so are the results.
 * @param statement its name; empty for the one that was parsed last
 */
export function bindMessage(statement: string, values: readonly DriverValue[]): Buffer[] {
  const parts: Buffer[] = [
    Buffer.from(`\0${statement}\0`),
    int16s([values.length, ...values.map(formatOf), values.length]),
  ];
  for (const value of values) {
    const bytes = bytesOf(value);
    parts.push(int32(bytes === null ? NULL : lengthOf(bytes)), ...(bytes ?? []));
  }
  parts.push(int16s([1, FORMAT.text]));
  // Its length counts itself.
  return [Buffer.from([BIND]), int32(4 + lengthOf(parts)), ...parts];
}

function formatOf(value: DriverValue): number {
  return value instanceof Uint8Array ? FORMAT.binary : FORMAT.text;
}

function bytesOf(value: DriverValue): readonly Buffer[] | null {
  if (value === null) return null;
  if (typeof value === 'string') return [Buffer.from(value)];
  if (value instanceof EncodedText) return value.pieces;
  return [bufferOf(value)];
}

function int16s(numbers: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(2 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeUInt16BE(number, 2 * index);
  return bytes;
}

function int32(number: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(number);
  return bytes;
}
