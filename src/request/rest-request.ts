import type { IncomingHttpHeaders } from 'node:http';
import type { Verb } from './verb.ts';

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
  /** The host, and port, that the client asked; empty where it did not say. */
  readonly host: string;
  /** Whether the client reached the gateway, or the proxy before it, by TLS. */
  readonly isSecure: boolean;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}
