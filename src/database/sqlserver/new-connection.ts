import type { EventEmitter } from 'node:events';
import { isIP } from 'node:net';
import { checkServerIdentity, type TLSSocket } from 'node:tls';
import type { Connection } from 'tedious';
import { lengthOf } from '../../base/text.ts';
import { TimeSlice } from '../../base/time.ts';
import type { Internals } from './driver-internals.ts';
import { rowsAskedBy, RowStream } from './row-stream.ts';

/** An error of the server. */
export interface ServerMessage {
  readonly number: number;
  /** The severity: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-error-severities */
  readonly class: number;
  readonly message: string;
  /** The procedure or trigger that it came up in; empty for the statement itself. */
  readonly procName: string;
}

/** A request of the driver failed. */
export class RequestFailure extends Error {
  /** All errors of the server, in their order. */
  readonly messages: readonly ServerMessage[];

  /** @param cause the driver's error */
  constructor(messages: readonly ServerMessage[], cause: Error) {
    super(messages.at(-1)?.message ?? cause.message, { cause });
    this.name = 'RequestFailure';
    this.messages = messages;
  }
}

/** The server's errors of a failed request. */
export function messagesOf(error: unknown): readonly ServerMessage[] {
  return error instanceof RequestFailure ? error.messages : [];
}

/** The server's errors of failed logins, by the driver's error. */
const loginMessages = new WeakMap<object, readonly ServerMessage[]>();

/** The server's errors of a failed login; none if it did not answer. */
export function loginMessagesOf(error: unknown): readonly ServerMessage[] {
  const { originalError } = error as { originalError?: unknown };
  return [error, originalError].flatMap(
    (one) => (typeof one === 'object' && one !== null ? loginMessages.get(one) : undefined) ?? [],
  );
}

/** Collects the server's errors of a connection, of which the driver makes one text, in the language of the login. */
export function collectMessages(connection: Connection): {
  readonly messages: readonly ServerMessage[];
  readonly end: () => void;
} {
  const messages: ServerMessage[] = [];
  const note = (message: ServerMessage): void => {
    messages.push(message);
  };
  const emitter: EventEmitter = connection;
  emitter.on('errorMessage', note);
  return { messages, end: () => emitter.off('errorMessage', note) };
}

/**
 * Adapts a connection of the driver before it connects.
 * @param lockTimeoutSeconds how long its statements wait for locks
 * @param isKnown whether requests and rows go past the driver's own streams, as this version of it allows (see `checkDriver`)
 */
export function prepareConnection(
  connection: Connection,
  lockTimeoutSeconds: number,
  isKnown: boolean,
): void {
  const internals = connection as unknown as Internals;
  requireEncryption(internals);
  checkAddress(internals);
  readAnswers(internals, isKnown);
  if (isKnown) sendAtOnce(internals);
  limitLockWaits(internals, lockTimeoutSeconds);
  const { messages, end } = collectMessages(connection);
  (connection as EventEmitter).once('connect', (error?: Error) => {
    end();
    if (error !== undefined) loginMessages.set(error, messages);
  });
}

/**
 * Sends no login in plain text unless the configuration says so. The driver goes on without TLS where a server, or whoever stands before it, says
 * that it cannot encrypt (https://learn.microsoft.com/openspecs/windows_protocols/ms-tds/60f56408-0188-4cd5-8b90-25c6f2423868).
 */
function requireEncryption(connection: Internals): void {
  const send = connection.sendLogin7Packet.bind(connection);
  connection.sendLogin7Packet = () => {
    const { encrypt } = connection.config.options;
    const isEncrypted = encrypt === 'strict' || connection.messageIo?.tlsNegotiationComplete;
    if (encrypt !== false && isEncrypted !== true) {
      throw Object.assign(new Error('The server does not encrypt the connection'), {
        code: 'EENCRYPT',
      });
    }
    send();
  };
}

/**
 * Lets the driver name no server to TLS that is an address (https://www.rfc-editor.org/rfc/rfc6066#section-3). It would compare the certificate with
 * "localhost" then, so that the address is compared here, before the login is sent.
 */
function checkAddress(connection: Internals): void {
  const send = connection.sendPreLogin.bind(connection);
  connection.sendPreLogin = () => {
    const io = connection.messageIo;
    const start = io?.startTls.bind(io);
    if (io === undefined || start === undefined) throw new Error('the driver has no connection');
    io.startTls = async (credentials, host, trustsAll) => {
      if (isIP(host) === 0) return start(credentials, host, trustsAll);
      await start(credentials, '', true);
      const problem = trustsAll ? undefined : certificateProblem(io.securePair.cleartext, host);
      if (problem !== undefined) throw problem;
    };
    send();
  };
}

/** Why a certificate is not that of an address; undefined if it is. Names are compared last, so that another error stands for the certificate itself. */
export function certificateProblem(socket: TLSSocket, address: string): Error | undefined {
  const code = String(socket.authorizationError);
  if (!socket.authorized && code !== 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return Object.assign(new Error(`untrusted certificate (${code})`), { code });
  }
  return checkServerIdentity(address, socket.getPeerCertificate());
}

/**
 * Reads rows with a {@link RowStream}, where the driver is known. An error of the driver's parser, to which it does not listen, closes the connection,
 * not the process.
 */
function readAnswers(connection: Internals, isKnown: boolean): void {
  const create = connection.createTokenStreamParser.bind(connection);
  const breakOff = (error: Error): void => connection.socket?.destroy(error);
  connection.createTokenStreamParser = (message, handler) => {
    const rows = isKnown ? rowsAskedBy(handler) : null;
    if (rows === null) {
      const made = create(message, handler) as { readonly parser?: EventEmitter };
      made.parser?.on('error', breakOff);
      return made;
    }
    const stream = new RowStream(message, handler, connection.config.options, rows);
    stream.on('error', breakOff);
    return stream;
  };
}

/** The longest request that is sent in one piece, and the longest piece of others, in bytes. */
const SHORT = 65_536;

/** Sends a short request in one piece: the driver makes several for each parameter, which pass three streams each. */
function sendAtOnce(connection: Internals): void {
  const make = connection.makeRequest.bind(connection);
  connection.makeRequest = (request, type, payload) => {
    const pieces = [...(payload as Iterable<Buffer>)];
    const length = lengthOf(pieces);
    make(request, type, length <= SHORT ? [Buffer.concat(pieces, length)] : inSlices(pieces));
  };
}

/** The driver cuts all packets of a piece at once. */
async function* inSlices(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  const slice = new TimeSlice();
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += SHORT) {
      yield piece.subarray(at, at + SHORT);
      if (slice.isOver()) await slice.pause();
    }
  }
}

/**
 * Limits waits for locks, in the driver's first batch: a later statement would take a round trip, or, in sp_executesql, set it for itself alone
 * (https://learn.microsoft.com/sql/t-sql/statements/set-lock-timeout-transact-sql).
 */
function limitLockWaits(connection: Internals, lockTimeoutSeconds: number): void {
  const initial = connection.getInitialSql.bind(connection);
  const milliseconds = Math.ceil(lockTimeoutSeconds * 1000);
  connection.getInitialSql = () => `${initial()}\nset lock_timeout ${milliseconds}`;
}
