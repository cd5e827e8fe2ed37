import type { IncomingHttpHeaders } from 'node:http';

/** Who asks, and what: a request below `/rest` as it came. */
export interface RestRequest {
  readonly verb: Verb;
  /** The raw URL, path and query, its escapes in place. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Null where there is none. */
  readonly body: Buffer | null;
  /** The address that the request came from: the client's, as a trusted proxy says, or else that of whoever is connected. */
  readonly address: string;
  /** The host and port that the client asked, empty where it did not say: what it sent, or what a trusted proxy says of it. */
  readonly host: string;
  /** Whether the client's connection is encrypted, to the gateway or to a trusted proxy before it. */
  readonly isSecure: boolean;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** The verbs of HTTP that the API knows. HEAD is GET where that changes nothing (RFC 9110, 9.2.1), and refused elsewhere. */
export type Verb = Reading | 'POST' | 'PUT' | 'DELETE';

/** Those that read. */
export type Reading = 'GET' | 'HEAD';
