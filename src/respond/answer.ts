import type { Readable } from 'node:stream';

/** What a request is answered with, whatever it was. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is read as fast as the client takes it, and destroyed when the client goes. */
  readonly body: string | Uint8Array | Readable;
}

/** The content type of JSON answers. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** An answer of JSON text. */
export function jsonAnswer(text: string, status = 200): Answer {
  return { status, headers: { 'content-type': JSON_TYPE }, body: text };
}
