import { errorOf, type Failure } from './errors.ts';
import { jsonText, parseJson, plainValue } from './json.ts';

/** How a client reaches its gateway. */
export interface ClientOptions {
  /** The gateway's address, such as `https://erp.example.com`; left out in a browser, that of the page. */
  readonly url?: string;
  /** Headers of every request, such as `api-key` or `authorization`, or a function that makes them, for tokens that are exchanged. */
  readonly headers?: Readonly<Record<string, string>> | (() => HeadersOf | Promise<HeadersOf>);
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

/** What goes with a request. */
export interface Request {
  readonly method?: 'GET' | 'POST';
  /** Anything that {@link jsonText} writes. */
  readonly json?: unknown;
  readonly content?: Content;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Gives the values of the answer their forms. */
  readonly read?: (body: unknown) => unknown;
  /** Whether an answer that tells of an error is an answer. */
  readonly isAnswer?: (body: unknown) => boolean;
}

/** Sends requests, and keeps the session that the gateway opens for them. */
export class Connection {
  /** The session's id; null before there is one. Whoever knows it is the session. */
  session: string | null;
  readonly #options: ClientOptions;
  readonly #base: string;
  readonly #sessionHeader: string;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#base = (options.url ?? '').replace(/\/$/, '');
    this.#sessionHeader = options.sessionHeader ?? 'Entitygate-Session';
    this.session = options.session ?? null;
  }

  /** Sends a request, and returns the JSON of its answer. @param path below `/rest` @throws GatewayError */
  async json(path: string, request: Request = {}): Promise<unknown> {
    const response = await this.#fetch(path, request);
    const text = await response.text();
    const body = text === '' ? null : parsed(text);
    const { read = plainValue, isAnswer = () => false } = request;
    const answer = body === NOT_JSON ? null : read(body);
    if (isAnswer(answer)) return answer;
    if (!response.ok || body === NOT_JSON || hasErrors(answer)) {
      throw errorOf(response.status, answer, response.headers.get('x-request-id'));
    }
    return answer;
  }

  /** Sends a request whose answer is bytes. @throws GatewayError */
  async content(path: string, request: Request): Promise<Response> {
    const response = await this.#fetch(path, request);
    if (response.ok) return response;
    const body = parsed(await response.text());
    throw errorOf(response.status, plainValue(body), response.headers.get('x-request-id'));
  }

  async #fetch(path: string, request: Request): Promise<Response> {
    const { json, content, signal } = request;
    // The platforms' types of bodies differ, and bytes are one in all of them.
    const body = (content as Blob | undefined) ?? jsonText(json);
    const { headers } = this.#options;
    const sent: Record<string, string> = {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(content === undefined ? {} : { 'content-type': 'application/octet-stream' }),
      ...(this.session === null ? {} : { [this.#sessionHeader]: this.session }),
      ...(typeof headers === 'function' ? await headers() : headers),
      ...request.headers,
    };
    const send = this.#options.fetch ?? fetch;
    const response = await send(`${this.#base}/rest${path}`, {
      method: request.method ?? 'GET',
      headers: sent,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
    const session = response.headers.get(this.#sessionHeader);
    if (session !== null && session !== '') this.session = session;
    // A session that is over is of no use, and refuses what might be answered without one.
    else if (response.status === 401) this.session = null;
    return response;
  }
}

const NOT_JSON = Symbol('not JSON');

/** The value of a JSON text; a proxy may answer in another form. */
function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return NOT_JSON;
  }
}

function hasErrors(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return false;
  const { __ERROR: errors, __STATUS: state } = answer as Failure;
  return errors !== undefined || state?.status === 2;
}
