import type { IncomingHttpHeaders } from 'node:http';
import type { Verb } from './parse.ts';

/** Who asks, and what: a request below `/rest` as it came. */
export interface RestRequest {
  readonly verb: Verb;
  /** The raw URL, path and query, its escapes in place. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Null where there is none. */
  readonly body: Buffer | null;
  /** The address that the request came from: the client's, or the proxy's before it. */
  readonly address: string;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}
