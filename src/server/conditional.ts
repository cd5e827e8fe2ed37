/** An entity tag in a list of them, weak or not (RFC 9110, 8.8.3). */
const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * Whether a client has what it would be sent (RFC 9110, 13.1.2): then it is told so in place of that.
 * @param ifNoneMatch the header: tags, or `*` for any
 */
export function hasIt(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return (ifNoneMatch.match(TAG) ?? []).some((one) => one.replace(/^W\//, '') === tag);
}

/**
 * Whether a client that has a part may be sent the rest (RFC 9110, 13.1.5): what it has a part of is still the same. A date tells nothing of that
 * here, as no answer has one.
 * @param ifRange the header: one tag, or a date
 */
export function mayGoOn(ifRange: string | undefined, tag: string): boolean {
  return ifRange === undefined || ifRange.trim() === tag;
}
