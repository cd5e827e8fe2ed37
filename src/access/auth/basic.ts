import { isUtf8 } from 'node:buffer';
import { refused } from './refused.ts';

/** A user's name and password, as they were sent. */
export interface NameAndPassword {
  readonly user: string;
  readonly password: string;
}

/**
 * Reads what stands behind `Basic` in the header Authorization (RFC 7617): the base64 of `user:password` in UTF-8. A name holds no
 * colon, a password may; neither holds control characters.
 * @throws ProtocolError notLoggedIn where it is something else
 */
export function readBasic(encoded: string): NameAndPassword {
  const text = decoded(encoded);
  const colon = text?.indexOf(':') ?? -1;
  if (text === null || colon === -1 || /\p{Cc}/u.test(text)) {
    throw refused(
      'The header Authorization holds no name and password: expected Basic and the base64 of name:password in UTF-8.',
    );
  }
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

function decoded(encoded: string): string | null {
  if (!/^[A-Za-z\d+/]+={0,2}$/.test(encoded)) return null;
  const bytes = Buffer.from(encoded, 'base64');
  return isUtf8(bytes) ? bytes.toString('utf8') : null;
}
