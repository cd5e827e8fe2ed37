import { parseJson, writeJson, type Json } from './json.ts';
import { errorCodes, errorOf, RestError } from './rest-error.ts';

/** What a request sends beside its URL. */
export interface RequestOptions {
  /** GET where it is left out, and POST where there is a body. */
  readonly method?: 'GET' | 'POST';
  /** Blobs are sent as they are, anything else as JSON, its exact numbers with all digits. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Whether the request goes on when its page is closed. */
  readonly keepalive?: boolean;
}

/** How a client reaches the gateway. */
export interface RestClientSettings {
  /** The origin of the gateway; the page's own where it is left out. */
  readonly origin?: string;
  readonly fetch?: typeof fetch;
}

/**
 * A client of the protocol. The session is a cookie, which the browser keeps; an API key goes along in a header. The gateway's requests for
 * credentials are answered by the explorer's own login, not by the browser's.
 */
export class RestClient {
  /** Sent with every request; null for none. */
  apiKey: string | null = null;
  /** Called where the gateway asks for credentials (1822), before the request fails. */
  onLoginNeeded: (error: RestError) => void = () => undefined;
  /** Where the gateway's paths begin: its origin, and the path that a proxy has put before. */
  readonly origin: string;
  readonly #fetch: typeof fetch;

  constructor({ origin = '', fetch = globalThis.fetch }: RestClientSettings = {}) {
    this.origin = origin;
    // A browser's fetch refuses to be called as a method of something else.
    this.#fetch = (...parameters) => fetch(...parameters);
  }

  /**
   * Sends a request and parses the JSON of its answer. @param url from the root of the origin, `/rest/Employee(5)`
   * @throws RestError for every failure but an abort by the signal, which is thrown as the browser throws it
   */
  async request(url: string, options: RequestOptions = {}): Promise<Json> {
    const response = await this.#send(url, options);
    const text = await unlessCut(response.text(), options.signal);
    const json = jsonOf(text);
    const failed = !response.ok || (isAnswerWithError(json) && !Array.isArray(json));
    if (failed) this.#fail(errorOf(response, json));
    if (json === undefined) {
      throw new RestError('The answer is not JSON.', { status: response.status });
    }
    return json;
  }

  /** Sends a request and returns what it is answered as bytes: images, BLOBs, CSV. @throws RestError as `request` */
  async content(url: string, options: RequestOptions = {}): Promise<Blob> {
    const response = await this.#send(url, options);
    if (!response.ok) {
      this.#fail(errorOf(response, jsonOf(await unlessCut(response.text(), options.signal))));
    }
    return unlessCut(response.blob(), options.signal);
  }

  #fail(error: RestError): never {
    if (error.has(errorCodes.notLoggedIn)) this.onLoginNeeded(error);
    throw error;
  }

  async #send(
    url: string,
    {
      body,
      method = body === undefined ? 'GET' : 'POST',
      headers = {},
      signal,
      keepalive = false,
    }: RequestOptions,
  ): Promise<Response> {
    const isBlob = body instanceof Blob;
    const sent = isBlob ? body : body === undefined ? null : writeJson(body);
    return unlessCut(
      this.#fetch(this.origin + url, {
        method,
        credentials: 'same-origin',
        headers: {
          accept: 'application/json',
          // The gateway then leaves the browser's own dialog for passwords closed.
          'x-requested-with': 'XMLHttpRequest',
          ...(sent === null || isBlob ? {} : { 'content-type': 'application/json' }),
          ...(this.apiKey === null ? {} : { 'api-key': this.apiKey }),
          ...headers,
        },
        body: sent,
        signal: signal ?? null,
        keepalive,
      }),
      signal,
    );
  }
}

/** The client of the page, which may be behind a proxy that has put a path before the gateway's own. */
export const rest = new RestClient({
  origin: typeof location === 'undefined' ? '' : location.pathname.replace(/\/explore\/.*$/s, ''),
});

/** Waits for an answer; what breaks the connection becomes a RestError. */
async function unlessCut<Value>(
  answer: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  try {
    return await answer;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new RestError('The gateway does not answer. Is it running, and is the network there?', {
      cause: error,
    });
  }
}

/** The JSON of a text; undefined where it is none. */
function jsonOf(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function isAnswerWithError(json: Json | undefined): boolean {
  return typeof json === 'object' && json !== null && '__ERROR' in json;
}
