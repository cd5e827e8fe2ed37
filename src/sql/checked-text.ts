import { ProtocolError } from '../base/errors.ts';

/**
 * Texts as JSON needs them. A column may be altered while the gateway runs, and a driver then hands over what its new type
 * holds: that is an error, and never an answer that is not JSON.
 */

/** @throws ProtocolError schemaChanged for what is not a whole number */
export function wholeNumber(text: string): string {
  return matching(text, /^-?\d+$/);
}

/** @throws ProtocolError schemaChanged for what is not a plain number */
export function plainDecimal(text: string): string {
  return matching(text, /^-?(?:\d+(?:\.\d+)?|\.\d+)$/);
}

/** Text that needs no escapes, in quotes. @throws ProtocolError schemaChanged for other text */
export function quoted(text: string): string {
  return `"${matching(text, /^[^"\\\p{Cc}]*$/u)}"`;
}

/** @throws ProtocolError schemaChanged for what is neither of two texts */
export function truth(value: unknown, yes: readonly unknown[], no: readonly unknown[]): string {
  if (yes.includes(value)) return 'true';
  if (no.includes(value)) return 'false';
  throw ProtocolError.of('schemaChanged');
}

function matching(text: string, pattern: RegExp): string {
  if (pattern.test(text)) return text;
  throw ProtocolError.of('schemaChanged');
}
