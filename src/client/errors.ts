/** One item of an answer's `__ERROR`. */
export interface ErrorItem {
  readonly message: string;
  /** The protocol's number for the kind of error. */
  readonly errCode: number;
  readonly componentSignature: string;
}

/** An error that the gateway, or what stands in front of it, answers. */
export class GatewayError extends Error {
  override readonly name: string = 'GatewayError';
  /** The HTTP status; 200 for one entity of several that were saved each on its own. */
  readonly status: number;
  /** The cause first, then what came of it; empty where the answer is not the gateway's. */
  readonly errors: readonly ErrorItem[];
  /** Identifies the request in the gateway's log; null where the answer does not. */
  readonly requestId: string | null;

  constructor(status: number, errors: readonly ErrorItem[], requestId: string | null) {
    const message = errors.map((item) => item.message).join(' ');
    super(message === '' ? `The server answered with HTTP status ${status}.` : message);
    this.status = status;
    this.errors = errors;
    this.requestId = requestId;
  }

  /** The `errCode` of the cause; null where the answer is not the gateway's. */
  get code(): number | null {
    return this.errors[0]?.errCode ?? null;
  }

  /** Whether there is no entity with the key (1542, 1543). */
  get isNotFound(): boolean {
    return this.code === 1542 || this.code === 1543;
  }

  /** Whether a value is taken that must be unique (1115). */
  get isDuplicate(): boolean {
    return this.code === 1115;
  }

  /** Whether another session has locked the entity (9025). */
  get isLocked(): boolean {
    return this.code === 9025;
  }

  /** Whether the client has to log in (1822). */
  get isLoginNeeded(): boolean {
    return this.code === 1822;
  }
}

/** An entity has changed since it was read: its stamp is another one by now, and nothing was saved. */
export class StampConflict extends GatewayError {
  override readonly name = 'StampConflict';
  /** The entity as it is now, with the stamp for another try; null where the answer does not have it. */
  readonly entity: unknown;

  constructor(
    status: number,
    errors: readonly ErrorItem[],
    requestId: string | null,
    entity: unknown,
  ) {
    super(status, errors, requestId);
    this.entity = entity;
  }
}

/** The members of an answer that tell of errors. */
export interface Failure {
  readonly __ERROR?: readonly ErrorItem[];
  readonly __STATUS?: { readonly success?: boolean; readonly status?: number };
}

/** The code of a stamp that has changed or is missing. */
const STAMP_CODE = 1263;

/** Makes the error of an answer, or of one entity in it. */
export function errorOf(status: number, answer: unknown, requestId: string | null): GatewayError {
  const failure: Failure = typeof answer === 'object' && answer !== null ? answer : {};
  const { __ERROR: errors = [], __STATUS: state } = failure;
  if (state?.status === 2) return new StampConflict(status, errors, requestId, answer);
  const isConflict = errors[0]?.errCode === STAMP_CODE && (status === 409 || status === 412);
  return isConflict
    ? new StampConflict(status, errors, requestId, null)
    : new GatewayError(status, errors, requestId);
}
