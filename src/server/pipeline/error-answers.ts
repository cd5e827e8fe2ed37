import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyError } from 'fastify';
import { ProtocolError } from '../../base/errors.ts';
import type { RequestObserver } from '../../base/observe/observer.ts';
import { JSON_TYPE, jsonAnswer, type Answer } from '../../answer/answer.ts';
import { SMALL_BODY } from '../bodies/receive-body.ts';

/** Headers of every answer, beside those for browsers: data of a database is nothing for caches to keep. */
export const commonHeaders = { 'cache-control': 'no-store' } as const;

/** After how many seconds a request that could not be served may be sent again. */
const RETRY_AFTER = '5';

/** The answer to a request that failed, in the protocol's shape (§7). @param headers further ones, such as the verbs that a path knows */
export function answerOf(error: unknown, headers: Answer['headers'] = {}): Answer {
  const answered = asProtocolError(error);
  const { status, headers: json, body } = jsonAnswer(answered.toJsonText(), answered.status);
  return { status, headers: { ...json, ...retryHeaders(answered), ...headers }, body };
}

/** The header that says when a request may be sent again; none where nothing is known to change by then. */
export function retryHeaders(error: ProtocolError): Answer['headers'] {
  const { status, errorName, retryAfterSeconds } = error;
  if (retryAfterSeconds !== null) return { 'retry-after': String(retryAfterSeconds) };
  // A client that does not know whether its change was made looks before it sends it again.
  const isForLater =
    errorName === 'rowLockTimeout' || (status === 503 && errorName !== 'outcomeUnknown');
  return isForLater ? { 'retry-after': RETRY_AFTER } : {};
}

/**
 * Ends the connection of a request that is refused before its body is read. Only a small body that is on its way is skipped: a large one, or one whose
 * sender waits for `100 Continue`, may never come.
 */
export function closingUnread({ complete, headers }: IncomingMessage): Answer['headers'] {
  const length = Number(headers['content-length'] ?? 0);
  const isSmall = headers['transfer-encoding'] === undefined && length <= SMALL_BODY;
  return complete || (isSmall && headers.expect === undefined) ? {} : { connection: 'close' };
}

/** Tells an observer of an error of the gateway or the database: one with a status of 500 or more, but for notServed; and of what the operator may do. */
export function reportError(error: unknown, observer: RequestObserver): void {
  const { status, errorName, advice, operatorMessage } = asProtocolError(error);
  if (advice !== null) observer.warned?.(operatorMessage);
  if (status < 500 || errorName === 'notServed') return;
  observer.errorMet(error instanceof Error ? error : new Error(String(error)));
}

/** Notes the dataclass at which an error met that the database has changed since its schema was read. */
export function noteOutdated(
  error: unknown,
  dataclass: string | null,
  outdated: Map<string, string>,
): void {
  if (!(error instanceof ProtocolError) || error.errorName !== 'schemaChanged') return;
  outdated.set(
    dataclass ?? '/rest',
    `error 9022 at ${new Date().toISOString()}: ${error.operatorMessage}`,
  );
}

/** The error that the audit log names; null when the client has disconnected, and so has stopped the work. */
export function clientError(error: unknown, signal: AbortSignal): ProtocolError | null {
  if (error instanceof ProtocolError) return error;
  return signal.aborted ? null : ProtocolError.of('internal', error);
}

/** The error that the client gets, also for one that is not the gateway's own; Fastify's have a status. */
function asProtocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const { statusCode = 500, message } = error as Partial<FastifyError>;
  switch (statusCode) {
    case 413:
      return new ProtocolError('bodyTooLarge', 'The body is too large.');
    case 415:
      return new ProtocolError('badMediaType', 'The body’s content type is not accepted.');
    default:
      return statusCode < 500
        ? new ProtocolError('badRequest', `The request cannot be read: ${message ?? ''}`)
        : ProtocolError.of('internal');
  }
}

/** Answers what never becomes a request, broken HTTP or long headers, on the socket itself. A client that does not speak TLS cannot be answered. */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  maxHeaderBytes: number,
  headers: Readonly<Record<string, string>>,
): void {
  const isTls = /^(?:ERR_(?:SSL|TLS)_|EPROTO$)/.test(error.code ?? '');
  if (isTls || error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  answerOnSocket(refusalOf(error, maxHeaderBytes), socket, headers);
}

/** Answers on a socket that nothing else is written to, and ends it. @param headers what goes with it besides */
export function answerOnSocket(
  refusal: ProtocolError,
  socket: Duplex,
  headers: Readonly<Record<string, string>>,
): void {
  const body = refusal.toJsonText();
  const fields = Object.entries({
    ...commonHeaders,
    ...headers,
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}\r\n${fields.join('')}\r\n${body}`,
  );
}

function refusalOf(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  maxHeaderBytes: number,
): ProtocolError {
  const unescaped = unescapedCharacter(error.rawPacket?.toString('utf8') ?? '');
  if (unescaped !== null) return unescaped;
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    const message = `The URL and the headers together are longer than ${maxHeaderBytes} bytes.`;
    return new ProtocolError('headersTooLarge', message);
  }
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const message = isLate
    ? 'The request did not arrive in time.'
    : 'This is not a valid HTTP request.';
  return new ProtocolError('badRequest', message);
}

/** Of a request line whose URL holds what no URL may, a raw blank or a character beyond ASCII: which, and where. */
function unescapedCharacter(packet: string): ProtocolError | null {
  const [line = ''] = packet.split('\r\n', 1);
  const [, url] = /^[A-Z]+ (.*?)(?: HTTP\/\d\.\d)?$/.exec(line) ?? [];
  const [found] = /[^\u0021-\u007e]/u.exec(url ?? '') ?? [];
  if (url === undefined || found === undefined) return null;
  const expected = encodeURIComponent(found.toWellFormed());
  const message = `"${found}" is not allowed in a URL: expected ${expected}`;
  return new ProtocolError('badUrl', message, {
    within: 'the URL',
    position: url.indexOf(found) + 1,
  });
}
