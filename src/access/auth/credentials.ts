import type { IncomingHttpHeaders } from 'node:http';
import { isUtf8 } from 'node:buffer';
import { looksLikeApiKey } from './api-keys.ts';
import { refused } from './principal.ts';

/** The credentials of a request. */
export type Credentials =
  | { readonly kind: 'apiKey'; readonly key: string }
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string };

/**
 * Reads the credentials of a request: `Authorization` with Basic or Bearer, or the header `api-key`. Null where there are none.
 * @throws ProtocolError notLoggedIn where they cannot be read, or there are two
 */
export function credentialsOf(headers: IncomingHttpHeaders): Credentials | null {
  const { authorization } = headers;
  const key = headers['api-key'];
  if (key === undefined) return authorization === undefined ? null : authorized(authorization);
  if (authorization !== undefined) {
    // Nobody can tell which of the two counts.
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
      // The message does not repeat the value: it may be a key without its scheme.
      throw refused(
        'The header Authorization cannot be read: expected Basic or Bearer, a blank, and the credentials.',
      );
  }
}

/**
 * Reads the credentials behind `Basic` (RFC 7617): the base64 of `user:password` in UTF-8. A name holds no colon, a password may; neither holds
 * control characters.
 * @throws ProtocolError notLoggedIn for anything else
 */
export function readBasic(encoded: string): { readonly user: string; readonly password: string } {
  const bytes = Buffer.from(encoded, 'base64');
  const isText = /^[A-Za-z\d+/]+={0,2}$/.test(encoded) && isUtf8(bytes);
  const text = isText ? bytes.toString('utf8') : '';
  const colon = text.indexOf(':');
  if (colon === -1 || /\p{Cc}/u.test(text)) {
    throw refused(
      'The header Authorization holds no name and password: expected Basic and the base64 of name:password in UTF-8.',
    );
  }
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
