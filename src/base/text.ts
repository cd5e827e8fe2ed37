import { wordsOf } from './words.ts';

/** Removes the blanks that CHAR and NCHAR are padded with; other white space at the end is text. */
export function withoutPadding(text: string): string {
  return withoutLast(text, ' ');
}

const MANY = 4096;

/** Removes a character from the end of a text as often as it stands there. A pattern such as `0+$` would take quadratic time. */
export function withoutLast(text: string, character: string): string {
  const code = character.charCodeAt(0);
  let end = text.length;
  // Texts are compared much faster than single characters.
  if (text.charCodeAt(end - MANY) === code) {
    const many = character.repeat(MANY);
    while (end >= MANY && text.slice(end - MANY, end) === many) end -= MANY;
  }
  while (text.charCodeAt(end - 1) === code) end -= 1;
  return text.slice(0, end);
}

/** The part of a text before a mark; the whole text where the mark is missing. */
export function before(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

/** Characters that JSON escapes, and halves of surrogate pairs: it escapes those without the other half. */
// eslint-disable-next-line no-control-regex -- those that JSON escapes
const ESCAPED = /[\u0000-\u001f"\\\ud800-\udfff]/;

/** Writes a text as `JSON.stringify` does, faster where nothing is escaped. */
export function jsonString(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Writes a long text as JSON piece by piece; null for any other. */
export function longJsonString(text: string): Generator<string, void> | null {
  return isLongText(text) ? jsonStringPieces(text) : null;
}

/** Writes a text as JSON piece by piece. */
export function* jsonStringPieces(text: string): Generator<string, void> {
  yield '"';
  for (const piece of textPieces(text)) yield JSON.stringify(piece).slice(1, -1);
  yield '"';
}

/** How many characters of a name or value a message repeats. */
export const LONGEST_SHOWN = 60;

/** Shortens a name or a value for a message. @param most how many characters */
export function excerpt(text: string, most = LONGEST_SHOWN): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** How many characters a message may have, and a word in it. */
const MOST_MESSAGE = 4000;
const LONG_WORD = /\S{200,}/g;

/** Shortens a message and its words: names and keys come from clients, who may send megabytes. */
export function readable(message: string): string {
  const short =
    message.length <= MOST_MESSAGE
      ? message
      : `${message.slice(0, MOST_MESSAGE / 2)}…${message.slice(-MOST_MESSAGE / 2)}`;
  return short.replace(LONG_WORD, (word) => excerpt(word));
}

/** How many characters are encoded, hashed or searched at once: that takes a fraction of a millisecond. */
const PIECE = 262_144;

/** A text, or the parts of a long one, because joining them takes long. */
export type Text = string | readonly string[];

export function isText(value: unknown): value is Text {
  return typeof value === 'string' || Array.isArray(value);
}

/** Joins a text that is short or rarely needed. */
export function wholeText(text: Text): string {
  return typeof text === 'string' ? text : text.join('');
}

/** Whether a text has more than one piece. */
export function isLongText(text: Text): boolean {
  return typeof text !== 'string' || text.length > PIECE;
}

/** Whether a text may be long. @param most how many characters it may have; null for any number */
export function mayBeLong(most: number | null): boolean {
  return most === null || most > PIECE;
}

/** Splits a text into pieces. None ends within a surrogate pair, so that each can be encoded by itself. */
export function* textPieces(text: Text): Generator<string> {
  if (typeof text !== 'string') {
    for (const part of text) yield* textPieces(part);
    return;
  }
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + PIECE, text.length);
    const isWithinPair = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    if (isWithinPair) end += 1;
    yield text.slice(at, end);
    at = end;
  }
}

/** A buffer of the same memory. */
export function bufferOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** The total number of characters, or of bytes. */
export function lengthOf(parts: readonly (string | Buffer)[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** A word that makes a name that of a secret. */
const SECRET_WORD = /^(?:.*password|passwd|passphrase|pwd|pw|secret|.*token)$/i;

/** Longer texts are not names, and take long to split. */
const LONGEST = 256;

export const MASK = '***';

/** Whether the name of a setting, parameter or column is that of a secret, also percent-encoded: `clientSecret`, `Pwd`, `sslpassword`, `USR_PASSWD`. */
export function isSecretName(name: string): boolean {
  if (name.length > LONGEST) return false;
  return wordsOf(unescaped(name)).some((word) => SECRET_WORD.test(word));
}

/** Decodes the escapes of URLs; returns a name with broken escapes as it is. */
export function unescaped(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

/** The login of a URL within a text, or within another URL, where it is escaped. */
const LOGIN = /((?::|%3a)(?:\/|%2f){2})[^/?#@&\s]{0,300}(@|%40)/gi;

/** Masks the logins of URLs in a text. */
export function withoutLogins(text: string): string {
  // Nearly all texts have none.
  if (!text.includes('@') && !text.includes('%40')) return text;
  return text.replace(LOGIN, `$1${MASK}$2`);
}

/** A name with a value in a text: `Password=…`, quoted or not. */
const NAMED =
  /(?<![\w%-])([\w%-]{1,256})(\s{0,9}=\s{0,9})("[^"]{0,9999}"?|'[^']{0,9999}'?|[^\s;&"',]{1,9999})/g;

/** Masks whatever may be secret in a text of any kind. */
export function withoutSecrets(text: string): string {
  return withoutLogins(text).replace(NAMED, (found, name: string, sign: string) =>
    isSecretName(name) ? `${name}${sign}${MASK}` : found,
  );
}
