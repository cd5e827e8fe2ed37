const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;

/** Digits that a number can have without being looked at twice: what they make is below 2^53. */
const SURELY_SAFE_DIGITS = 15;

/**
 * The number that a text is the one way of writing of, where it is a whole number that JavaScript holds exactly; NaN for all other
 * texts, `007` and `-0` among them, so that what became a number becomes the same text again.
 */
export function safeInteger(text: string): number {
  const { length } = text;
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  const first = text.charCodeAt(start);
  if (first === ZERO) return length === 1 ? 0 : Number.NaN;
  let value = 0;
  for (let index = start; index < length; index += 1) {
    const digit = text.charCodeAt(index);
    if (digit < ZERO || digit > NINE) return Number.NaN;
    value = value * 10 + (digit - ZERO);
  }
  if (length === start) return Number.NaN;
  if (length - start > SURELY_SAFE_DIGITS && value > Number.MAX_SAFE_INTEGER) return Number.NaN;
  return start === 0 ? value : -value;
}
