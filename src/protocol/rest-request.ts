import type { IncomingHttpHeaders } from 'node:http';

/** A request below `/rest` as it came. */
export interface RestRequest {
  readonly verb: Verb;
  /** The raw URL, path and query, with its escapes. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer | null;
  /** The client's address: as a trusted proxy says, or else that of the connection. */
  readonly address: string;
  /** The host and port that the client asked, as it sent them or a trusted proxy says; empty where it sent none. */
  readonly host: string;
  /** Whether the client's connection is encrypted, to the gateway or to a trusted proxy before it. */
  readonly isSecure: boolean;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** How much of its answer is read: of a longer one, the beginning may be answered alone. Left out where all of it is read. */
  readonly enoughBytes?: number;
}

/** The HTTP verbs of the API. HEAD is GET where that changes nothing (RFC 9110, 9.2.1), and refused elsewhere. */
export type Verb = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
