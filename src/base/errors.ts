import { excerpt, readable } from './text.ts';

/** Every error that the gateway answers: the `errCode`, the HTTP status, and the stage that finds it. Codes below 9000 are those of the protocol family. */
export const errorTable = {
  badComparator: { code: 1107, status: 400, stage: 'protocol' },
  notSaved: { code: 1046, status: 422, stage: 'run' },
  comparatorNotForType: { code: 1112, status: 400, stage: 'plan' },
  duplicateKey: { code: 1115, status: 409, stage: 'run' },
  mandatoryMissing: { code: 1116, status: 422, stage: 'plan' },
  brokenReference: { code: 1120, status: 409, stage: 'run' },
  badQuery: { code: 1162, status: 400, stage: 'protocol' },
  stampChanged: { code: 1263, status: 409, stage: 'run' },
  stampMissing: { code: 1263, status: 400, stage: 'plan' },
  preconditionFailed: { code: 1263, status: 412, stage: 'server' },
  badPlaceholder: { code: 1279, status: 400, stage: 'protocol' },
  placeholderWithoutValue: { code: 1280, status: 400, stage: 'protocol' },
  noSuchAttribute: { code: 1500, status: 404, stage: 'plan' },
  wrongType: { code: 1508, status: 400, stage: 'plan' },
  readOnlyAttribute: { code: 1516, status: 422, stage: 'plan' },
  // Consequences only: the status of the error that they follow is answered.
  entityNotSaved: { code: 1517, status: 409, stage: 'run' },
  entityNotDeleted: { code: 1518, status: 409, stage: 'run' },
  newEntityNotSaved: { code: 1534, status: 409, stage: 'run' },
  keyMismatch: { code: 1541, status: 400, stage: 'plan' },
  noEntityToWrite: { code: 1542, status: 404, stage: 'run' },
  noSuchEntity: { code: 1543, status: 404, stage: 'run' },
  keyIsNull: { code: 1546, status: 400, stage: 'plan' },
  mayNotRead: { code: 1557, status: 403, stage: 'database' },
  mayNotUpdate: { code: 1558, status: 403, stage: 'plan' },
  mayNotCreate: { code: 1559, status: 403, stage: 'plan' },
  mayNotDelete: { code: 1560, status: 403, stage: 'plan' },
  mayNotExecute: { code: 1561, status: 403, stage: 'database' },
  tooSmall: { code: 1568, status: 422, stage: 'plan' },
  tooLarge: { code: 1569, status: 422, stage: 'plan' },
  tooLong: { code: 1591, status: 422, stage: 'plan' },
  notSortable: { code: 1594, status: 400, stage: 'plan' },
  noSuchDataclass: { code: 1800, status: 404, stage: 'plan' },
  badFormat: { code: 1801, status: 400, stage: 'protocol' },
  noSuchEntitySet: { code: 1802, status: 404, stage: 'run' },
  otherDataclassSet: { code: 1803, status: 400, stage: 'run' },
  badAttributeList: { code: 1804, status: 400, stage: 'protocol' },
  badExpandList: { code: 1805, status: 400, stage: 'protocol' },
  badUrl: { code: 1806, status: 400, stage: 'protocol' },
  unclosedSingleQuote: { code: 1808, status: 400, stage: 'protocol' },
  unclosedDoubleQuote: { code: 1809, status: 400, stage: 'protocol' },
  badOrder: { code: 1810, status: 400, stage: 'protocol' },
  unknownKeyword: { code: 1811, status: 400, stage: 'protocol' },
  unknownMethod: { code: 1812, status: 400, stage: 'protocol' },
  notApplicable: { code: 1813, status: 400, stage: 'plan' },
  attributeNeeded: { code: 1816, status: 400, stage: 'plan' },
  badComputeKeyword: { code: 1817, status: 400, stage: 'protocol' },
  badLogicalOperator: { code: 1818, status: 400, stage: 'protocol' },
  otherSetMissing: { code: 1819, status: 400, stage: 'protocol' },
  otherSetInvalid: { code: 1820, status: 404, stage: 'run' },
  crossSite: { code: 9040, status: 403, stage: 'server' },
  notLoggedIn: { code: 1822, status: 401, stage: 'server' },
  tooManySessions: { code: 1823, status: 402, stage: 'server' },
  badMedia: { code: 1824, status: 415, stage: 'server' },
  noSuchFunction: { code: 1827, status: 404, stage: 'plan' },
  functionNotOnGet: { code: 1829, status: 405, stage: 'plan' },
  internal: { code: 9000, status: 500, stage: 'server' },
  notServed: { code: 9001, status: 501, stage: 'plan' },
  databaseUnavailable: { code: 9002, status: 503, stage: 'database' },
  connectionsBusy: { code: 9070, status: 503, stage: 'database' },
  statementTimeout: { code: 9003, status: 504, stage: 'database' },
  verbNotAllowed: { code: 9004, status: 405, stage: 'server' },
  bodyTooLarge: { code: 9005, status: 413, stage: 'server' },
  badMediaType: { code: 9006, status: 415, stage: 'server' },
  badNumber: { code: 9007, status: 400, stage: 'protocol' },
  noSuchPath: { code: 9008, status: 404, stage: 'server' },
  headersTooLarge: { code: 9009, status: 431, stage: 'server' },
  badRequest: { code: 9010, status: 400, stage: 'server' },
  answerTooLarge: { code: 9012, status: 400, stage: 'answer' },
  tooManyGroups: { code: 9012, status: 413, stage: 'run' },
  deadlock: { code: 9013, status: 503, stage: 'database' },
  brokenRule: { code: 9015, status: 409, stage: 'run' },
  badBody: { code: 9016, status: 400, stage: 'protocol' },
  raised: { code: 9017, status: 422, stage: 'run' },
  noSuchUpload: { code: 9018, status: 404, stage: 'plan' },
  bodiesWaiting: { code: 9019, status: 503, stage: 'server' },
  databaseUnable: { code: 9020, status: 503, stage: 'database' },
  rowLockTimeout: { code: 9021, status: 409, stage: 'database' },
  outcomeUnknown: { code: 9014, status: 503, stage: 'database' },
  schemaChanged: { code: 9022, status: 500, stage: 'database' },
  leftOut: { code: 9022, status: 503, stage: 'plan' },
  entitySetTooLarge: { code: 9023, status: 413, stage: 'run' },
  entitySetsBusy: { code: 9024, status: 503, stage: 'run' },
  entityLocked: { code: 9025, status: 409, stage: 'run' },
  lockLost: { code: 9026, status: 409, stage: 'run' },
  tooManyAttempts: { code: 9027, status: 429, stage: 'server' },
  tooManyRequests: { code: 9028, status: 429, stage: 'server' },
  badHost: { code: 9029, status: 421, stage: 'server' },
  urlTooLong: { code: 9030, status: 414, stage: 'server' },
  authenticationBusy: { code: 9032, status: 503, stage: 'server' },
  identityProviderAway: { code: 9033, status: 503, stage: 'server' },
  invalidContext: { code: 9035, status: 403, stage: 'database' },
  rangeNotSatisfiable: { code: 9041, status: 416, stage: 'server' },
  auditUnavailable: { code: 9036, status: 503, stage: 'server' },
  badParameters: { code: 9049, status: 400, stage: 'plan' },
  badFunctionResult: { code: 9051, status: 500, stage: 'run' },
  expectationFailed: { code: 9039, status: 417, stage: 'server' },
  applicationUnavailable: { code: 9060, status: 502, stage: 'server' },
  applicationTimeout: { code: 9061, status: 504, stage: 'server' },
  proxyLoop: { code: 9062, status: 508, stage: 'server' },
  tooManyRefused: { code: 9064, status: 422, stage: 'run' },
  roleMissing: { code: 9063, status: 403, stage: 'server' },
  reloadFailed: { code: 9065, status: 422, stage: 'server' },
  stateUnavailable: { code: 9066, status: 503, stage: 'state' },
  badToken: { code: 9067, status: 400, stage: 'protocol' },
  tokenOutdated: { code: 9068, status: 410, stage: 'run' },
  notComputable: { code: 9075, status: 422, stage: 'database' },
  refusedByDatabase: { code: 9011, status: 500, stage: 'database' },
} as const satisfies Record<string, { code: number; status: number; stage: string }>;

export type ErrorName = keyof typeof errorTable;

/** The messages of errors that always have the same one. */
const messages = {
  tooManySessions: 'All sessions are in use. Try again later.',
  internal: 'The gateway failed to answer; its log says why.',
  connectionsBusy:
    'All database connections for such requests are in use, and none became free in time. Try again later.',
  statementTimeout: 'The database took too long for this request. Narrow the request.',
  stateUnavailable:
    'The store of sessions, locks and entity sets cannot be reached. Try again later.',
  deadlock: 'The database ended this request in favour of another one (deadlock). Try again.',
  bodiesWaiting:
    'Other large bodies are being received, and there was no memory for this one in time. Try again later.',
  rowLockTimeout:
    'Another request or program holds a lock on a row that this request needs, for longer than the gateway waits. Try again later.',
  outcomeUnknown:
    'The connection to the database was lost before it confirmed the change. ' +
    'Look at the data before you send the request again.',
  schemaChanged:
    'A table or column of the database has changed since the gateway read the schema. Tell the gateway’s operator.',
  entitySetsBusy:
    'Entity sets of other requests take all the memory that is reserved for them. Try again later.',
  authenticationBusy: 'Too many passwords are being checked at the moment. Try again later.',
  auditUnavailable:
    'The audit log cannot be written at the moment, so nothing is saved or deleted. Try again later.',
  applicationUnavailable:
    'The application behind the gateway cannot be reached, or sent no answer.',
  applicationTimeout: 'The application behind the gateway did not answer in time.',
  proxyLoop: 'The request came back to the gateway that forwarded it. Tell the gateway’s operator.',
  tooManyRefused:
    'Skipped after too many failures. Send this element again without those that failed.',
} as const satisfies Partial<Record<ErrorName, string>>;

/** What the operator may do about them, for the log. */
const advices: Partial<Record<ErrorName, string>> = {
  schemaChanged: 'Run entitygate check, and reload the gateway.',
  proxyLoop: 'The proxy entry has to name the application’s own address.',
};

/** A sentence of a message that sends the client to the operator. */
const ASKS_OPERATOR = / (?:Tell|Ask) the gateway’s operator[^.]*\./u;

/** The name of an error with a message of its own. */
export type FixedErrorName = keyof typeof messages;

/** A position in the client's text: a parameter's name (or `URL`) and a 1-based position in its value. */
export interface TextPosition {
  readonly within: string;
  readonly position: number;
}

/** An error that is answered in the protocol's shape (§7). Its message is written for the client. */
export class ProtocolError extends Error {
  readonly errorName: ErrorName;
  /** After how many seconds the request may be tried again, where that is known. */
  readonly retryAfterSeconds: number | null = null;
  /** What the error led to, in the order of the answer. */
  readonly consequences: readonly Consequence[] = [];
  /** The attribute or relation at fault, `Employee.grade`; null where there is none, or it is not known. */
  readonly member: string | null = null;
  /** What the operator may do about it, for the log: clients are not told of settings. Null where there is nothing. */
  readonly advice: string | null;
  /** Where within an entity of the body the error lies, `lines[2].quantity`; null for the entity itself, and outside of entities. */
  readonly errorPath: string | null = null;

  /** @param message what is wrong and what would be right, without engine internals @param at is added to the message @param cause for the log only */
  constructor(errorName: ErrorName, message: string, at?: TextPosition, cause?: unknown) {
    const { stackTraceLimit } = Error;
    // Errors of the client are not logged, and a body may have one for each element: their stacks would cost time for nothing.
    if (errorTable[errorName].status < 500) Error.stackTraceLimit = 0;
    super(
      readable(
        at === undefined ? message : `${message} (at position ${at.position} of ${at.within})`,
      ),
      cause === undefined ? undefined : { cause },
    );
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'ProtocolError';
    this.errorName = errorName;
    this.advice = advices[errorName] ?? null;
  }

  /** An error with a message of its own. @param cause as in the constructor */
  static of(errorName: FixedErrorName, cause?: unknown): ProtocolError {
    return new ProtocolError(errorName, messages[errorName], undefined, cause);
  }

  /** The message and the advice, for the operator: without the sentence that sends a client to the operator. */
  get operatorMessage(): string {
    if (this.advice === null) return this.message;
    return `${this.message.replace(ASKS_OPERATOR, '')} ${this.advice}`;
  }

  get status(): number {
    return errorTable[this.errorName].status;
  }

  /** The error with more items of `__ERROR`; the HTTP status stays that of the error itself. */
  leadingTo(...consequences: readonly Consequence[]): ProtocolError {
    return this.#with({ consequences: [...this.consequences, ...consequences] });
  }

  /** The error with the attribute or relation at fault, unless that is known. */
  about(member: string): ProtocolError {
    return this.member === null ? this.#with({ member }) : this;
  }

  /**
   * The error of a nested object of a body: its message begins with the object's path, `lines[2]`, or the attribute's, `lines[2].quantity`, and so do those
   * of its consequences that are about attributes.
   */
  inside(object: string): ProtocolError {
    const errorPath = pathOf(this.member, object);
    const consequences = this.consequences.map((one) => {
      const { errorName, message, member = null } = one;
      return member === null
        ? one
        : { errorName, message: `${pathOf(member, object)}: ${message}` };
    });
    return this.#with({ member: null, errorPath, consequences }, `${errorPath}: `);
  }

  behind(text: string): ProtocolError {
    return this.#with({}, text);
  }

  /** The error with what the operator may do about it, a sentence for the log. */
  advising(advice: string): ProtocolError {
    return this.#with({ advice });
  }

  #with(
    properties: Partial<Pick<ProtocolError, 'consequences' | 'member' | 'errorPath' | 'advice'>>,
    before = '',
  ): ProtocolError {
    const { errorName, message, consequences, member, errorPath, retryAfterSeconds, advice } = this;
    return Object.assign(
      new ProtocolError(errorName, `${before}${message}`, undefined, this.cause ?? this),
      { consequences, member, errorPath, retryAfterSeconds, advice, ...properties },
    );
  }

  /** The value of the protocol's `__ERROR` (§7). */
  toItems(): readonly ErrorItem[] {
    return [{ errorName: this.errorName, message: this.message }, ...this.consequences].map(
      ({ errorName, message }) => ({
        message,
        componentSignature: 'dbmg',
        errCode: errorTable[errorName].code,
      }),
    );
  }

  /** The protocol's `__ERROR` body (§7) as JSON text. */
  toJsonText(): string {
    return JSON.stringify({ __ERROR: this.toItems() });
  }
}

/** The error of a request that does not fit what it is sent to, such as a filter for an attribute that has none. */
export function notApplicable(message: string, at?: TextPosition): ProtocolError {
  return new ProtocolError('notApplicable', message, at);
}

/** Whether an error is the {@link ProtocolError} of this name. */
export function isProtocolError(error: unknown, errorName: ErrorName): error is ProtocolError {
  return error instanceof ProtocolError && error.errorName === errorName;
}

/** Runs `work`; an error of the class becomes the result of `handle`, every other is thrown again. */
export function catching<Result, Caught, Handled>(
  errorClass: abstract new (...parameters: never[]) => Caught,
  work: () => Result,
  handle: (error: Caught) => Handled,
): Result | Handled {
  try {
    return work();
  } catch (error) {
    if (error instanceof errorClass) return handle(error);
    throw error;
  }
}

/** The result of work; null where a ProtocolError says that there is none. */
export async function attempted<Result>(
  work: () => Result | Promise<Result>,
): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) return null;
    throw error;
  }
}

/** What an error led to, such as an entity that was not saved, or another mistake in the same entity. */
export interface Consequence {
  readonly errorName: ErrorName;
  readonly message: string;
  /** The attribute or relation at fault; null or left out as in the error. */
  readonly member?: string | null;
}

function pathOf(member: string | null, object: string): string {
  const name = member?.split('.').pop();
  return name === undefined ? object : `${object}.${name}`;
}

/** How many mistakes one error reports behind the first. */
const MOST_REPORTED = 100;

/** Collects the mistakes in an entity, so that one does not hide the others. */
export class Mistakes {
  readonly #found: { readonly at: number; readonly error: ProtocolError }[] = [];

  get count(): number {
    return this.#found.length;
  }

  /** Whether no more are reported. */
  get isFull(): boolean {
    return this.count > MOST_REPORTED;
  }

  /** @param at where it is in the body: the order in which mistakes are reported */
  add(at: number, error: ProtocolError): void {
    this.#found.push({ at, error });
  }

  /** Runs a check, and returns its result; null where it throws a ProtocolError, which is a mistake. */
  check<Result>(at: number, check: () => Result): Result | null {
    return catching(ProtocolError, check, (error) => {
      this.add(at, error);
      return null;
    });
  }

  /** The mistakes in the order of the body. */
  inOrder(): readonly ProtocolError[] {
    return this.#found.toSorted((a, b) => a.at - b.at).map(({ error }) => error);
  }

  /** The error of the first mistake, with an item of `__ERROR` for each of the others; null where there is none. */
  joined(): ProtocolError | null {
    const [first, ...others] = this.inOrder();
    const items = others.flatMap(({ errorName, message, member, consequences }) => [
      { errorName, message, member },
      ...consequences,
    ]);
    return first?.leadingTo(...items.slice(0, MOST_REPORTED)) ?? null;
  }

  /** @throws ProtocolError as {@link joined}; returns where there is none */
  throwAny(): void {
    const error = this.joined();
    if (error !== null) throw error;
  }
}

interface ErrorItem {
  readonly message: string;
  readonly componentSignature: 'dbmg';
  readonly errCode: number;
}

/** A reason why the program cannot start, and its position: `config.yaml:3:9`. */
export interface StartupProblem {
  readonly where: string | null;
  readonly message: string;
}

/** How many problems a message lists: about a screen of them. */
export const MOST_TOLD = 20;

const MOST_CHARACTERS = 2000;

/** Start-up failed for reasons that the user can fix; each is one readable line, never a stack trace. */
export class StartupError extends Error {
  readonly problems: readonly StartupProblem[];
  readonly more: number;

  constructor(problems: readonly StartupProblem[], more = 0) {
    const lines = problems.slice(0, MOST_TOLD).map(lineOf);
    const hidden = problems.length - lines.length + more;
    if (hidden > 0) lines.push(`and ${hidden.toLocaleString('en')} more`);
    super(lines.join('\n'));
    this.name = 'StartupError';
    this.problems = problems;
    this.more = more;
  }

  static at(where: string | null, message: string): StartupError {
    return new StartupError([{ where, message }]);
  }
}

/**
 * Waits for work that goes on side by side, until all of it has ended.
 * @throws StartupError with the problems of all of it together; any other error as it is
 */
export async function allOf<Work extends readonly unknown[] | []>(
  work: Work,
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  const ended = await Promise.allSettled(work);
  // Work that waits for other work fails with its error.
  const errors = new Set(
    ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])),
  );
  const problems: StartupProblem[] = [];
  let more = 0;
  for (const error of errors) {
    if (!(error instanceof StartupError)) throw error;
    problems.push(...error.problems);
    more += error.more;
  }
  if (errors.size > 0) throw new StartupError(problems, more);
  return Promise.all(work);
}

/** A problem as a line for a terminal: control characters are escaped, because a terminal would take them for commands. */
function lineOf({ where, message }: StartupProblem): string {
  // The reason in a message may have several lines; a path has one.
  const text = excerpt(message, MOST_CHARACTERS).split('\n').map(escaped).join('\n');
  return where === null ? text : `${escaped(where)}: ${text}`;
}

function escaped(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The message of the underlying error, such as the engine's; of several errors all messages. */
export function reason(error: unknown): string {
  if (error instanceof ProtocolError && error.cause !== undefined) return reason(error.cause);
  const several = severalBehind(error);
  if (several !== null) return [...new Set(several.map(reason))].join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** The errors of several attempts behind an error, which itself only says that they failed. */
function severalBehind(error: unknown): readonly unknown[] | null {
  if (error instanceof AggregateError) return error.errors as readonly unknown[];
  if (!(error instanceof Error)) return null;
  const { cause, originalError } = error as { cause?: unknown; originalError?: unknown };
  return severalBehind(cause ?? originalError);
}
