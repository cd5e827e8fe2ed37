/** How long a password may be, in characters: longer ones are refused before they are worked on. */
const MOST = 1024;

/** How short one may be that is chosen now (https://pages.nist.gov/800-63-4/sp800-63b.html). */
const LEAST = 8;

/**
 * A password as it is hashed, whichever keyboard it was typed on: the profile OpaqueString of RFC 8265 §4.2, in which blanks of all scripts are
 * one, and a letter with an accent is one character. Null where it cannot be anybody's: empty, too long, or with characters that are none.
 */
export function preparedPassword(text: string): string | null {
  const prepared = text.replace(/\p{Zs}/gu, ' ').normalize('NFC');
  const length = Array.from(prepared).length;
  const isText = prepared.isWellFormed() && !/\p{Cc}/u.test(prepared);
  return isText && length > 0 && length <= MOST ? prepared : null;
}

/** A user's name as it is looked up: a letter with an accent is one character (RFC 8265 §3.4, whose case is kept). */
export function preparedName(text: string): string {
  return text.normalize('NFC');
}

/** What is wrong with a password that somebody chooses, or null where nothing is. */
export function newPasswordProblem(text: string): string | null {
  if (text === '') return 'the password is empty';
  const prepared = preparedPassword(text);
  if (prepared === null) {
    return `the password holds control characters, or is longer than ${MOST} characters`;
  }
  return Array.from(prepared).length < LEAST
    ? `the password has fewer than ${LEAST} characters`
    : null;
}
