import type { Readable } from 'node:stream';
import type { Text } from '../base/text.ts';

/** What a request is answered with, whatever it was. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * A stream is read as fast as the client takes it, and destroyed when the client goes; one that fails breaks the answer off. Null where the
   * status says that there is none.
   */
  readonly body: Text | Uint8Array | Readable | null;
}

/** The content type of JSON answers. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** The answer to a request for an image that cannot be had in the form that is asked for (§4.5). */
export const NO_IMAGE = '{}';

/** The text of an answer that has nothing to tell but success (§4.6). */
export const OK = '{"ok":true}';

/** An answer of JSON text. */
export function jsonAnswer(text: Text, status = 200): Answer {
  return { status, headers: { 'content-type': JSON_TYPE }, body: text };
}
