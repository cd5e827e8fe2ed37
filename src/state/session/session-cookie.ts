import type { IncomingHttpHeaders } from 'node:http';
import { parse, serialize, type SerializeOptions } from 'cookie';

/** By what a session is known in requests and answers. */
export interface SessionNames {
  /** The name of the cookie. */
  readonly cookie: string;
  /** The name of the header, for clients that keep no cookies; in lower case. */
  readonly header: string;
}

/** The id of the session that a request names, by its header or by its cookie; null where it names none. */
export function namedSession(
  headers: IncomingHttpHeaders,
  { cookie, header }: SessionNames,
): string | null {
  const named = headers[header];
  if (typeof named === 'string' && named !== '') return named;
  return parse(headers.cookie ?? '')[cookie] ?? null;
}

/**
 * The headers of an answer that opens a session. Scripts cannot read the cookie, and it goes with no request that another site makes on
 * the user's behalf but with those that lead the user here (https://httpwg.org/specs/rfc6265.html).
 * @param isSecure whether the client reached the gateway by TLS: then the cookie goes no other way
 */
export function sessionHeaders(
  id: string,
  { cookie, header }: SessionNames,
  isSecure: boolean,
): Record<string, string> {
  return { 'set-cookie': serialize(cookie, id, cookieOptions(isSecure)), [header]: id };
}

/** The headers of an answer that closes a session: the cookie is taken back. */
export function closingHeaders(
  { cookie }: SessionNames,
  isSecure: boolean,
): Record<string, string> {
  return { 'set-cookie': serialize(cookie, '', { ...cookieOptions(isSecure), maxAge: 0 }) };
}

function cookieOptions(isSecure: boolean): SerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', ...(isSecure ? { secure: true } : {}) };
}
