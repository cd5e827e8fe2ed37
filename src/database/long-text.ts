import { StringDecoder } from 'node:string_decoder';
import { ClientGone } from '../base/abort.ts';
import { isLongText, isText, lengthOf, type Text, textPieces } from '../base/text.ts';
import { TimeSlice } from '../base/time-slice.ts';
import type { BoundValue } from '../sql/dialect.ts';
import type { EncodedRows, Row } from './database.ts';

/** How an engine takes the texts of parameters. */
export type TextEncoding = 'utf8' | 'utf16le';

/** How long a text is that is not decoded with its row, and how much of one is decoded at once, in bytes: a millisecond or two where it is not ASCII. */
export const LONG_TEXT = 262_144;

/** Makes text of bytes that come in pieces, which may be cut within a character. */
export interface TextDecoding {
  readonly write: (bytes: Buffer) => string;
  /** What was left of the last piece. */
  readonly end: () => string | undefined;
}

/** A long text as it came over the wire, in one part or more: a cell of a row that its driver hands over. */
export class UndecodedText {
  readonly parts: readonly Buffer[];
  /** Begins to decode it. */
  readonly decoder: () => TextDecoding;

  constructor(parts: readonly Buffer[], decoder: () => TextDecoding) {
    this.parts = parts;
    this.decoder = decoder;
  }

  /** In bytes. */
  get length(): number {
    return lengthOf(this.parts);
  }
}

/** Begins to decode UTF-8. */
export function utf8(): TextDecoding {
  return new StringDecoder('utf8');
}

/** Begins to decode UTF-16. */
export function utf16le(): TextDecoding {
  return new StringDecoder('utf16le');
}

/** A long text of a parameter, encoded as the engine takes it. */
export class EncodedText {
  /** One behind the other; none is cut within a character, and none is empty: on SQL Server an empty one ends the value. */
  readonly pieces: readonly Buffer[];
  /** How many bytes they have together. */
  readonly length: number;

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces;
    this.length = lengthOf(pieces);
  }
}

/** The value of a parameter as a driver takes it. */
export type DriverValue = ShortValue | EncodedText;

/** One that is not encoded. */
export type ShortValue = string | Uint8Array | null;

/** Whether a driver has left a text of its rows as it came. */
export function hasUndecoded(rows: readonly Row[]): boolean {
  for (const row of rows) {
    for (const cell of row) {
      if (typeof cell === 'object' && cell instanceof UndecodedText) return true;
    }
  }
  return false;
}

/** Decodes those texts, in slices. @throws ClientGone where nobody waits for them any more */
export async function decodeTexts(
  rows: readonly Row[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const slice = sliceFor(signal);
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      if (!(cell instanceof UndecodedText)) continue;
      (row as unknown[])[column] = await decoded(cell, slice, signal);
    }
  }
}

/** Rows as they came, decoded in slices, with their long texts. @throws ClientGone where nobody waits for them any more */
export async function decodeRows(
  encoded: EncodedRows,
  signal: AbortSignal | undefined,
): Promise<readonly Row[]> {
  const slice = sliceFor(signal);
  const rows: Row[] = [];
  const cursor = encoded.cursor();
  while (cursor.next()) {
    rows.push(cursor.row());
    if (slice.isOver()) await nextSlice(slice, signal);
  }
  await decodeTexts(rows, signal);
  return rows;
}

async function decoded(
  { parts, decoder }: UndecodedText,
  slice: TimeSlice,
  signal: AbortSignal | undefined,
): Promise<string> {
  const decoding = decoder();
  const pieces: string[] = [];
  for (const part of parts) {
    for (let at = 0; at < part.length; at += LONG_TEXT) {
      pieces.push(decoding.write(part.subarray(at, at + LONG_TEXT)));
      if (slice.isOver()) await nextSlice(slice, signal);
    }
  }
  pieces.push(decoding.end() ?? '');
  return pieces.join('');
}

/** Whether none of a command's values is long: they go as they are. */
export function areShort(values: readonly BoundValue[]): values is readonly ShortValue[] {
  for (const value of values) if (isLong(value)) return false;
  return true;
}

/** Encodes, in slices, those of a command's values that are long. @throws ClientGone where nobody waits for it any more */
export async function encodeTexts(
  values: readonly BoundValue[],
  encoding: TextEncoding,
  signal: AbortSignal | undefined,
): Promise<readonly DriverValue[]> {
  const slice = sliceFor(signal);
  const encoded: DriverValue[] = [];
  for (const value of values) {
    encoded.push(isLong(value) ? await encodedText(value, encoding, slice, signal) : value);
  }
  return encoded;
}

/** What is of parts may be long, and is encoded as if it were. */
function isLong(value: BoundValue): value is Text {
  return value !== null && isText(value) && isLongText(value);
}

async function encodedText(
  text: Text,
  encoding: TextEncoding,
  slice: TimeSlice,
  signal: AbortSignal | undefined,
): Promise<EncodedText> {
  const pieces: Buffer[] = [];
  let open = '';
  for (const piece of textPieces(text)) {
    // A list of rows has parts of a few characters between those that are long.
    open += piece;
    if (open.length < LONG_TEXT) continue;
    pieces.push(Buffer.from(open, encoding));
    open = '';
    if (slice.isOver()) await nextSlice(slice, signal);
  }
  if (open !== '') pieces.push(Buffer.from(open, encoding));
  return new EncodedText(pieces);
}

function sliceFor(signal: AbortSignal | undefined): TimeSlice {
  if (signal?.aborted === true) throw new ClientGone(signal.reason);
  return new TimeSlice();
}

async function nextSlice(slice: TimeSlice, signal: AbortSignal | undefined): Promise<void> {
  await slice.pause();
  if (signal?.aborted === true) throw new ClientGone(signal.reason);
}
