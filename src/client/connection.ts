import { jsonText, parseJson } from './json.ts';
import { type Form, inForm, type ModelDescription } from './model.ts';
import { type Query, queryText } from './query.ts';
import type { Stamped } from './types.ts';

/** One item of an answer's `__ERROR`. */
export interface ErrorItem {
  readonly message: string;
  /** The protocol's number for the kind of error. */
  readonly errCode: number;
  readonly componentSignature: string;
}

/** The members of an answer that tell of errors. */
export interface Failure {
  readonly __ERROR?: readonly ErrorItem[];
  readonly __STATUS?: {
    readonly success?: boolean;
    readonly status?: number;
    readonly created?: boolean;
  };
}

/** An error that the gateway, or a proxy in front of it, answers. */
export class GatewayError extends Error {
  override readonly name: string = 'GatewayError';
  /** The HTTP status; 200 for one entity of several that were saved each on its own. */
  readonly status: number;
  /** The cause first, then what came of it; empty where the answer is not the gateway's. */
  readonly errors: readonly ErrorItem[];
  /** The whole answer; undefined where it is not JSON. */
  readonly answer: unknown;
  /** Identifies the request in the gateway's log; null where the answer does not. */
  readonly requestId: string | null;
  /** The `errCode` of the cause; null where the answer is not the gateway's. */
  readonly code: number | null;
  /** Whether there is no entity with the key. */
  readonly isNotFound: boolean;
  /** Whether another entity has a value that must be unique. */
  readonly isDuplicate: boolean;
  /** Whether another session has locked the entity. */
  readonly isLocked: boolean;
  /** Whether a token of changes can no longer be used: read all again, without it. */
  readonly isOutdated: boolean;

  constructor(status: number, answer: unknown, requestId: string | null) {
    const { __ERROR: errors = [] } = (answer ?? {}) as Failure;
    const message = errors.map((item) => item.message).join(' ');
    super(message || `The server answered with HTTP status ${status}.`);
    this.status = status;
    this.errors = errors;
    this.answer = answer;
    this.requestId = requestId;
    this.code = errors[0]?.errCode ?? null;
    this.isNotFound = this.code === 1542 || this.code === 1543;
    this.isDuplicate = this.code === 1115;
    this.isLocked = this.code === 9025;
    this.isOutdated = this.code === 9068;
  }
}

/** The entity has changed since it was read, and nothing was saved. */
export class StampConflict extends GatewayError {
  override readonly name = 'StampConflict';

  /** The entity as it is now, with the stamp for another try; null where the answer does not have it. */
  get entity(): unknown {
    return (this.answer as Partial<Stamped>).__STAMP === undefined ? null : this.answer;
  }
}

/** Makes the error of an answer, or of one entity in it. */
export function errorOf(status: number, answer: unknown, requestId: string | null): GatewayError {
  const error = new GatewayError(status, answer, requestId);
  // An update without a stamp has this code, too, with the status 400, or in a list without the item that the entity was not saved.
  const isChanged = status === 409 || status === 412 || error.errors[1]?.errCode === 1517;
  const isConflict = error.code === 1263 && isChanged;
  return isConflict || hasChanged(answer) ? new StampConflict(status, answer, requestId) : error;
}

/** Whether an answer says that the stamp of the entity is another one. */
function hasChanged(answer: unknown): boolean {
  return (answer as Failure | null | undefined)?.__STATUS?.status === 2;
}

/** How a client reaches its gateway. */
export interface ClientOptions {
  /** The gateway's address, such as `https://erp.example.com`; left out in a browser, that of the page. */
  readonly url?: string;
  /** Headers of every request, such as `api-key` or `authorization`, or a function that makes them, for tokens that are exchanged. */
  readonly headers?: HeadersOf | (() => HeadersOf | Promise<HeadersOf>);
  /**
   * Returns the token of each request, for `Authorization: Bearer`. @param isRefused whether the gateway has just refused the one before: it has expired, or was
   * withdrawn. The request is sent once more then.
   */
  readonly token?: (isRefused: boolean) => string | Promise<string>;
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
    const { url = '', headers: common, token, fetch: send = fetch } = this.#options;
    const { sessionHeader = 'Entitygate-Session' } = this.#options;
    const { json, content, headers, signal = null, parameters } = request;
    const type = content === undefined ? 'application/json' : 'application/octet-stream';
    // The platforms' types of bodies differ, and bytes are one in all of them.
    const body = (content as Blob | undefined) ?? (json === undefined ? null : jsonText(json));
    const query = queryText(request, parameters);
    const sent = async (isRefused: boolean): Promise<Response> =>
      send(`${url.replace(/\/$/, '')}/rest${path}${query}`, {
        method: body === null ? 'GET' : 'POST',
        headers: {
          ...(body === null ? {} : { 'content-type': type }),
          ...(this.session === null ? {} : { [sessionHeader]: this.session }),
          ...(typeof common === 'function' ? await common() : common),
          ...(token && { authorization: `Bearer ${await token(isRefused)}` }),
          ...headers,
        },
        body,
        signal,
      });
    let response = await sent(false);
    if (response.status === 401 && token !== undefined) {
      await response.body?.cancel();
      response = await sent(true);
    }
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
    const isFailure = (answer as Failure | null | undefined)?.__ERROR !== undefined;
    // A lock that a changed stamp prevents has the status 200.
    const isGood = response.ok && answer !== undefined && !isFailure && !hasChanged(answer);
    if (isGood) return answer;
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
