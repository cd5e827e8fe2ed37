import type { IncomingHttpHeaders } from 'node:http';
import { isUtf8 } from 'node:buffer';
import { looksLikeApiKey } from './api-keys.ts';
import { refused } from './principal.ts';

/** By what a request shows who sends it. */
export type Credentials =
  | { readonly kind: 'apiKey'; readonly key: string }
  | ({ readonly kind: 'password' } & NameAndPassword)
  | { readonly kind: 'token'; readonly token: string };

/**
 * The credentials that a request's headers hold: those of `Authorization`, Basic or Bearer, or the header `api-key`. Null where there are none.
 * @throws ProtocolError notLoggedIn where they cannot be read, or there are two
 */
export function credentialsOf(headers: IncomingHttpHeaders): Credentials | null {
  const { authorization } = headers;
  const key = headers['api-key'];
  if (key === undefined) return authorization === undefined ? null : authorized(authorization);
  if (authorization !== undefined) {
    // Which of the two counted would be anybody's guess.
    throw refused('The headers api-key and Authorization both hold credentials: send one of them.');
  }
  if (typeof key !== 'string') throw refused('The header api-key was sent more than once.');
  return { kind: 'apiKey', key };
}

function authorized(authorization: string): Credentials {
  // https://www.rfc-editor.org/rfc/rfc9110#section-11.4
  const [, scheme = '', given = ''] = /^([\w!#$%&'*+.^`|~-]+) +(\S+) *$/.exec(authorization) ?? [];
  switch (scheme.toLowerCase()) {
    case 'basic':
      return { kind: 'password', ...readBasic(given) };
    case 'bearer':
      return looksLikeApiKey(given)
        ? { kind: 'apiKey', key: given }
        : { kind: 'token', token: given };
    default:
      // What stands there is not repeated: it may be a key without its scheme.
      throw refused(
        'The header Authorization cannot be read: expected Basic or Bearer, a blank, and the credentials.',
      );
  }
}

/** A user's name and password, as they were sent. */
interface NameAndPassword {
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
