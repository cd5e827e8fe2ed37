import { StringDecoder } from 'node:string_decoder';
import { isLongText, isText, lengthOf, type Text, textPieces } from '../base/text.ts';
import { TimeSlice } from '../base/time.ts';
import type { BoundValue } from '../sql/dialect.ts';
import type { EncodedRows, Row } from './database.ts';

/** How an engine takes the texts of parameters. */
export type TextEncoding = 'utf8' | 'utf16le';

/** From which length on a text is decoded in pieces of this length, in bytes: one takes a millisecond or two if it is not ASCII. */
export const LONG_TEXT = 262_144;

/** Decodes text from pieces, which may be cut within a character. */
export interface TextDecoding {
  readonly write: (bytes: Buffer) => string;
  /** The rest of the last piece. */
  readonly end: () => string | undefined;
}

/** A long text as it came over the wire: a cell of a row. */
export class UndecodedText {
  readonly parts: readonly Buffer[];
  readonly decoder: () => TextDecoding;
  /** In bytes. */
  readonly length: number;

  constructor(parts: readonly Buffer[], decoder: () => TextDecoding) {
    this.parts = parts;
    this.decoder = decoder;
    this.length = lengthOf(parts);
  }
}

export function utf8(): TextDecoding {
  return new StringDecoder('utf8');
}

export function utf16le(): TextDecoding {
  return new StringDecoder('utf16le');
}

/** A long text of a parameter, encoded as the engine takes it. */
export class EncodedText {
  /** None is cut within a character, and none is empty: on SQL Server an empty one ends the value. */
  readonly pieces: readonly Buffer[];
  /** In bytes. */
  readonly length: number;

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces;
    this.length = lengthOf(pieces);
  }
}

/** The value of a parameter that is not encoded. */
export type ShortValue = string | Uint8Array | null;

/** The value of a parameter as a driver takes it. */
export type DriverValue = ShortValue | EncodedText;

/** Whether a driver has left a text of its rows undecoded. */
export function hasUndecoded(rows: readonly Row[]): boolean {
  for (const row of rows) {
    for (const cell of row) {
      if (typeof cell === 'object' && cell instanceof UndecodedText) return true;
    }
  }
  return false;
}

/** Decodes those texts, in slices. @throws ClientGone */
export async function decodeTexts(
  rows: readonly Row[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const slice = new TimeSlice(signal);
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      if (!(cell instanceof UndecodedText)) continue;
      (row as unknown[])[column] = await decoded(cell, slice);
    }
  }
}

/** Decodes rows, in slices, with their long texts. @throws ClientGone */
export async function decodeRows(
  encoded: EncodedRows,
  signal: AbortSignal | undefined,
): Promise<readonly Row[]> {
  const slice = new TimeSlice(signal);
  const rows: Row[] = [];
  const cursor = encoded.cursor();
  while (cursor.next()) {
    rows.push(cursor.row());
    if (slice.isOver()) await slice.pause();
  }
  await decodeTexts(rows, signal);
  return rows;
}

async function decoded({ parts, decoder }: UndecodedText, slice: TimeSlice): Promise<string> {
  const decoding = decoder();
  const pieces: string[] = [];
  for (const part of parts) {
    for (let at = 0; at < part.length; at += LONG_TEXT) {
      pieces.push(decoding.write(part.subarray(at, at + LONG_TEXT)));
      if (slice.isOver()) await slice.pause();
    }
  }
  pieces.push(decoding.end() ?? '');
  return pieces.join('');
}

/** Whether none of a command's values is long. */
export function areShort(values: readonly BoundValue[]): values is readonly ShortValue[] {
  for (const value of values) if (isLong(value)) return false;
  return true;
}

/** Encodes the long values of a command, in slices. @throws ClientGone */
export async function encodeTexts(
  values: readonly BoundValue[],
  encoding: TextEncoding,
  signal: AbortSignal | undefined,
): Promise<readonly DriverValue[]> {
  const slice = new TimeSlice(signal);
  const encoded: DriverValue[] = [];
  for (const value of values) {
    encoded.push(isLong(value) ? await encodedText(value, encoding, slice) : value);
  }
  return encoded;
}

function isLong(value: BoundValue): value is Text {
  return value !== null && isText(value) && isLongText(value);
}

async function encodedText(
  text: Text,
  encoding: TextEncoding,
  slice: TimeSlice,
): Promise<EncodedText> {
  const pieces: Buffer[] = [];
  let open = '';
  for (const piece of textPieces(text)) {
    // A list of rows has short parts between long ones.
    open += piece;
    if (open.length < LONG_TEXT) continue;
    pieces.push(Buffer.from(open, encoding));
    open = '';
    if (slice.isOver()) await slice.pause();
  }
  if (open !== '') pieces.push(Buffer.from(open, encoding));
  return new EncodedText(pieces);
}
