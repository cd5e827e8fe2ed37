import type { OutgoingHttpHeaders } from 'node:http';
import type { SessionNames } from '../../state/session/session-cookie.ts';
import { clientCookie, clientRefresh, clientUrl, type Addresses } from './client-url.ts';
import { listed } from './request-headers.ts';

/** Headers of an answer, by their names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Headers that are about the connection to the application alone (RFC 9110, 7.6.1). */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The headers of an application's answer as the client gets them: addresses in its terms, and nothing that would stand in for the gateway's own, such as a
 * cookie of the session's name, by which an application could hand a session to somebody.
 */
export function answerHeaders(
  headers: AnswerHeaders,
  addresses: Addresses,
  sessionNames: SessionNames,
): OutgoingHttpHeaders {
  const withheld = new Set([
    ...OF_CONNECTION,
    ...listed(headers['connection']),
    'x-request-id',
    sessionNames.header,
  ]);
  const result: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || withheld.has(name)) continue;
    const told = rewritten(name, value, addresses, sessionNames);
    if (told.length > 0) result[name] = told;
  }
  return result;
}

function rewritten(
  name: string,
  value: string | string[],
  addresses: Addresses,
  { cookie }: SessionNames,
): string | string[] {
  const each = (work: (text: string) => string): string | string[] =>
    typeof value === 'string' ? work(value) : value.map(work);
  switch (name) {
    case 'location':
    case 'content-location':
      return each((url) => clientUrl(url, addresses));
    case 'refresh':
      return each((text) => clientRefresh(text, addresses));
    case 'set-cookie':
      return [value]
        .flat()
        .filter((text) => text.split('=', 1)[0]?.trim() !== cookie)
        .map((text) => clientCookie(text, addresses));
    default:
      return value;
  }
}
