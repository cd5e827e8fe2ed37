import type { IncomingHttpHeaders } from 'node:http';
import { looksLikeApiKey } from './api-key.ts';
import { readBasic, type NameAndPassword } from './basic.ts';
import { refused } from './refused.ts';

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
