const ZERO = 0x30;
const MINUS = 0x2d;

/** As many as 2^53 has. */
const MOST_DIGITS = 16;

/**
 * The number that a text is the one way of writing of, where it is a whole number that JavaScript holds exactly; NaN for all other
 * texts, `007` and `-0` among them, so that what became a number becomes the same text again.
 */
export function safeInteger(text: string): number {
  const { length } = text;
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  const first = text.charCodeAt(start);
  if (first === ZERO) return length === 1 ? 0 : Number.NaN;
  const digits = length - start;
  if (digits === 0 || digits > MOST_DIGITS) return Number.NaN;
  let value = 0;
  for (let index = start; index < length; index += 1) {
    const digit = text.charCodeAt(index) - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  if (value > Number.MAX_SAFE_INTEGER) return Number.NaN;
  return start === 0 ? value : -value;
}
