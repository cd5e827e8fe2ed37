/** One item of an answer's `__ERROR`. */
export interface ErrorItem {
  readonly message: string;
  /** The protocol's number for the kind of error. */
  readonly errCode: number;
  readonly componentSignature: string;
}

/** The members of an answer that tell of errors. */
export interface Failure {
  readonly result?: unknown;
  readonly __ERROR?: readonly ErrorItem[];
  readonly __STATUS?: { readonly success?: boolean; readonly status?: number };
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

  constructor(status: number, answer: unknown, requestId: string | null) {
    const { __ERROR: errors = [] } = (answer ?? {}) as Failure;
    const message = errors.map((item) => item.message).join(' ');
    super(message || `The server answered with HTTP status ${status}.`);
    this.status = status;
    this.errors = errors;
    this.answer = answer;
    this.requestId = requestId;
  }

  /** The `errCode` of the cause; null where the answer is not the gateway's. */
  get code(): number | null {
    return this.errors[0]?.errCode ?? null;
  }

  /** Whether there is no entity with the key. */
  get isNotFound(): boolean {
    return this.code === 1542 || this.code === 1543;
  }

  /** Whether another entity has a value that must be unique. */
  get isDuplicate(): boolean {
    return this.code === 1115;
  }

  /** Whether another session has locked the entity. */
  get isLocked(): boolean {
    return this.code === 9025;
  }
}

/** The entity has changed since it was read, and nothing was saved. */
export class StampConflict extends GatewayError {
  override readonly name = 'StampConflict';

  /** The entity as it is now, with the stamp for another try; null where the answer does not have it. */
  get entity(): unknown {
    return hasChanged(this.answer) ? this.answer : null;
  }
}

/** Makes the error of an answer, or of one entity in it. */
export function errorOf(status: number, answer: unknown, requestId: string | null): GatewayError {
  const error = new GatewayError(status, answer, requestId);
  // An update without a stamp has this code, too, and the status 400.
  const isConflict = error.code === 1263 && (status === 409 || status === 412);
  return isConflict || hasChanged(answer) ? new StampConflict(status, answer, requestId) : error;
}

/** Whether an answer reports an error. */
export function isFailure(answer: unknown): boolean {
  return (answer as Failure | null)?.__ERROR !== undefined || hasChanged(answer);
}

/** Whether an answer says that the stamp of the entity is another one. */
function hasChanged(answer: unknown): boolean {
  return (answer as Failure | null | undefined)?.__STATUS?.status === 2;
}

/** Takes the refusal of a login or a lock, which has the status of an error, for an answer. @throws every other error */
export function refusal(error: unknown): unknown {
  if (error instanceof GatewayError && !(error instanceof StampConflict)) {
    if ((error.answer as Failure | null | undefined)?.result === false) return error.answer;
  }
  throw error;
}
