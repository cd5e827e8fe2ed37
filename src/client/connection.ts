import { errorOf, isFailure } from './errors.ts';
import { jsonText, parseJson } from './json.ts';
import { type Form, inForm, type ModelDescription } from './model.ts';
import { type Query, queryText } from './query.ts';

/** How a client reaches its gateway. */
export interface ClientOptions {
  /** The gateway's address, such as `https://erp.example.com`; left out in a browser, that of the page. */
  readonly url?: string;
  /** Headers of every request, such as `api-key` or `authorization`, or a function that makes them, for tokens that are exchanged. */
  readonly headers?: HeadersOf | (() => HeadersOf | Promise<HeadersOf>);
  /** Sends requests in place of the platform's `fetch`. */
  readonly fetch?: typeof fetch;
  /** The header of sessions, where the gateway's configuration has another one. */
  readonly sessionHeader?: string;
  /** A session that was opened before. */
  readonly session?: string;
}

type HeadersOf = Readonly<Record<string, string>>;

/** The bytes of an image or BLOB. */
export type Content = Blob | Uint8Array | ArrayBuffer;

/** A request; a POST where it has a body, which is `json` or `content`. */
export interface Request extends Query {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly json?: unknown;
  readonly content?: Content;
  readonly headers?: HeadersOf;
  /** The form of the answer. */
  readonly form?: Form;
}

/** Sends requests, and keeps the session that the gateway opens for them. */
export class Connection {
  /** The session's id; null before there is one. A client that knows it is in the session. */
  session: string | null;
  readonly model: ModelDescription;
  readonly #options: ClientOptions;

  constructor(model: ModelDescription, options: ClientOptions) {
    this.model = model;
    this.#options = options;
    this.session = options.session ?? null;
  }

  /** Sends a request. @param path below `/rest` */
  async fetch(path: string, request: Request): Promise<Response> {
    const { url = '', headers: common, fetch: send = fetch } = this.#options;
    const { sessionHeader = 'Entitygate-Session' } = this.#options;
    const { json, content, headers, signal = null, parameters } = request;
    const type = content === undefined ? 'application/json' : 'application/octet-stream';
    // The platforms' types of bodies differ, and bytes are one in all of them.
    const body = (content as Blob | undefined) ?? (json === undefined ? null : jsonText(json));
    const query = queryText(request, parameters);
    const response = await send(`${url.replace(/\/$/, '')}/rest${path}${query}`, {
      method: body === null ? 'GET' : 'POST',
      headers: {
        ...(body === null ? {} : { 'content-type': type }),
        ...(this.session === null ? {} : { [sessionHeader]: this.session }),
        ...(typeof common === 'function' ? await common() : common),
        ...headers,
      },
      body,
      signal,
    });
    const session = response.headers.get(sessionHeader);
    if (session !== null && session !== '') this.session = session;
    // With an expired session, requests are refused that are allowed without one.
    else if (response.status === 401) this.session = null;
    return response;
  }

  /** Sends a request, and reads the JSON of its answer. @param path below `/rest` @throws GatewayError */
  async json(path: string, request: Request = {}): Promise<unknown> {
    return this.answer(await this.fetch(path, request), request.form);
  }

  /** Reads the JSON of an answer. @throws GatewayError */
  async answer(response: Response, form?: Form): Promise<unknown> {
    const answer = inForm(jsonOf(await response.text()), form, this.model);
    if (response.ok && answer !== undefined && !isFailure(answer)) return answer;
    throw errorOf(response.status, answer, response.headers.get('x-request-id'));
  }
}

/** The value of a JSON text; undefined for other texts, which a proxy may answer. */
function jsonOf(text: string): unknown {
  try {
    return text === '' ? null : parseJson(text);
  } catch {
    return undefined;
  }
}
