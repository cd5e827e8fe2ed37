/** Some of the bytes of an answer, from one place up to another. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** As long as numbers of bytes are that a double holds exactly. */
const RANGE = /^bytes=\s*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))\s*$/i;

/**
 * The range that a header asks for (RFC 9110, 14.2).
 * @param length how many bytes there are
 * @returns null for all of them: where no range is asked for, or none that is served, such as several at once
 */
export function byteRange(
  header: string | undefined,
  length: number,
): ByteRange | 'unsatisfiable' | null {
  const [, first, last, suffix] = RANGE.exec(header ?? '') ?? [];
  if (suffix !== undefined) {
    const wanted = Math.min(Number(suffix), length);
    return wanted === 0 ? 'unsatisfiable' : { start: length - wanted, end: length };
  }
  if (first === undefined) return null;
  const start = Number(first);
  const end = last === undefined || last === '' ? length : Math.min(Number(last) + 1, length);
  // What ends before it begins is no range.
  if (last !== undefined && last !== '' && Number(last) < start) return null;
  return start >= length ? 'unsatisfiable' : { start, end };
}
