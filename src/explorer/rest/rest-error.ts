import { isObject, type Json, type JsonObject, objectsIn } from './json.ts';

/** An item of the protocol's `__ERROR` (§7). */
export interface ErrorItem {
  readonly code: number;
  /** The whole message as the gateway wrote it; of a missing login, which it tells programs how to make, the explorer’s own. */
  readonly message: string;
  /** Where in the client's text the error is: the parameter, or `the URL`, and a position from 1. */
  readonly at: { readonly within: string; readonly position: number } | null;
  /** The names that the message proposes in place of an unknown one. */
  readonly suggestions: readonly string[];
}

/** The codes of errors that the explorer acts on. */
export const errorCodes = {
  stampChanged: 1263,
  noSuchEntity: 1543,
  mayNotUpdate: 1558,
  noSuchEntitySet: 1802,
  notApplicable: 1813,
  notLoggedIn: 1822,
  notServed: 9001,
  entityLocked: 9025,
} as const;

/** A request that failed: refused by the gateway, answered by something that is not the gateway, or never answered (status 0). */
export class RestError extends Error {
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  readonly items: readonly ErrorItem[];
  /** The whole answer; a save that meets a changed stamp has the entity as it is now in it. Null where it is not a JSON object. */
  readonly body: JsonObject | null;
  /** The id under which the gateway's log has the request. */
  readonly requestId: string | null;

  constructor(
    message: string,
    {
      status = 0,
      items = [],
      body = null,
      requestId = null,
      cause,
    }: Partial<Pick<RestError, 'status' | 'items' | 'body' | 'requestId' | 'cause'>>,
  ) {
    super(message, { cause });
    this.name = 'RestError';
    this.status = status;
    this.items = items;
    this.body = body;
    this.requestId = requestId;
  }

  /** Whether the answer has an error of this code. */
  has(code: number): boolean {
    return this.items.some((item) => item.code === code);
  }
}

/** The error of an answer. @param json its body, parsed; undefined where it is not JSON */
export function errorOf(response: Response, json: Json | undefined): RestError {
  const body = isObject(json) ? json : null;
  const items = errorItems(body?.['__ERROR']);
  const [first] = items;
  return new RestError(
    first?.message ?? `The answer has status ${response.status} ${response.statusText}`.trimEnd(),
    {
      status: response.status,
      items,
      body,
      requestId: response.headers.get('x-request-id'),
    },
  );
}

/** The items of a value of `__ERROR`; none where there is no such value. */
function errorItems(errors: Json | undefined): ErrorItem[] {
  return objectsIn(errors).map(({ errCode, message }) => itemOf(Number(errCode), message));
}

function itemOf(code: number, text: Json | undefined): ErrorItem {
  const told = typeof text === 'string' ? text : '';
  const message = code === errorCodes.notLoggedIn ? 'Your session has ended. Log in again.' : told;
  const at = /\(at position (\d+) of (.+?)\)$/.exec(message);
  const suggestions = / Did you mean ([^?]+)\?/.exec(message)?.[1];
  return {
    code,
    message,
    at: at === null ? null : { within: at[2] ?? '', position: Number(at[1]) },
    suggestions: suggestions?.split(/, | or /) ?? [],
  };
}
