import type { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import type { Connection } from 'tedious';
import { lengthOf } from '../../base/text.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import type { ParserOptions } from './driver-parsers.ts';
import { rowsAskedBy, RowStream, type TokenHandler } from './row-stream.ts';

/** One error of those that a request met, as the server tells it. */
export interface ServerMessage {
  readonly number: number;
  /** The severity: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-error-severities */
  readonly class: number;
  readonly message: string;
  /** The procedure or trigger that it came up in; empty for the statement itself. */
  readonly procName: string;
}

/** A request of the driver's failed. */
export class RequestFailure extends Error {
  /** All errors that the server told of, in their order; none where it said nothing. */
  readonly messages: readonly ServerMessage[];

  /** @param cause what the driver made of it */
  constructor(messages: readonly ServerMessage[], cause: Error) {
    super(messages.at(-1)?.message ?? cause.message, { cause });
    this.name = 'RequestFailure';
    this.messages = messages;
  }
}

/** What the server told of an error; nothing where it is not a request that failed. */
export function messagesOf(error: unknown): readonly ServerMessage[] {
  return error instanceof RequestFailure ? error.messages : [];
}

/** What a request says to the server, in pieces of any length. */
type Payload = Iterable<Buffer> | AsyncIterable<Buffer>;

/** What of the driver's connection its types call private. */
interface Internals {
  getInitialSql: () => string;
  createTokenStreamParser: (message: Readable, handler: TokenHandler) => object;
  makeRequest: (request: object, type: number, payload: Payload) => void;
  readonly config: { readonly options: ParserOptions };
  readonly socket?: { readonly destroy: (error: Error) => void };
}

/** What the server said before a connection failed to be made, by the driver's error. */
const saidTo = new WeakMap<object, readonly ServerMessage[]>();

/**
 * Sees to a connection of the driver's (19.2.2) before it connects.
 * @param lockTimeoutSeconds how long its statements wait for locks
 */
export function prepareConnection(connection: Connection, lockTimeoutSeconds: number): void {
  readAnswers(connection as unknown as Internals);
  sendAtOnce(connection as unknown as Internals);
  limitLockWaits(connection as unknown as Internals, lockTimeoutSeconds);
  keepLoginMessages(connection);
}

/** What the server told of why a connection could not be made; nothing where it did not answer. */
export function loginMessagesOf(error: unknown): readonly ServerMessage[] {
  const { originalError } = error as { originalError?: unknown };
  return [error, originalError].flatMap(
    (one) => (typeof one === 'object' && one !== null ? saidTo.get(one) : undefined) ?? [],
  );
}

/**
 * Has the rows read that requests ask for, and breaks a connection off whose answers cannot be read. The driver listens to no error of its
 * parser's, so that one would end the process.
 */
function readAnswers(connection: Internals): void {
  const create = connection.createTokenStreamParser.bind(connection);
  const breakOff = (error: Error): void => {
    connection.socket?.destroy(error);
  };
  connection.createTokenStreamParser = (message, handler) => {
    const asked = rowsAskedBy(handler);
    if (asked === null) {
      const made = create(message, handler) as { readonly parser: EventEmitter };
      made.parser.on('error', breakOff);
      return made;
    }
    const stream = new RowStream(message, handler, connection.config.options, asked);
    stream.on('error', breakOff);
    return stream;
  };
}

/** What is longer, in bytes, is not put together: it goes in the driver's pieces, no longer than this, in turns with others. */
const SHORT = 65_536;

/** Sends a request in one piece: the driver makes some for each parameter, which pass three streams each. */
function sendAtOnce(connection: Internals): void {
  const make = connection.makeRequest.bind(connection);
  connection.makeRequest = (request, type, payload) => {
    const pieces = [...(payload as Iterable<Buffer>)];
    const length = lengthOf(pieces);
    make(request, type, length <= SHORT ? [Buffer.concat(pieces, length)] : inTurns(pieces));
  };
}

/** The driver cuts packets of a piece at once, and of those behind it for as long as the network takes any. */
async function* inTurns(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  const slice = new TimeSlice();
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += SHORT) {
      yield piece.subarray(at, at + SHORT);
      if (slice.isOver()) await slice.pause();
    }
  }
}

/**
 * Has the session begin with a limit to waits for locks, in the batch that the driver sends for settings of its own: in any later
 * statement it would hold for that alone, which sp_executesql runs, or take a round trip.
 * https://learn.microsoft.com/sql/t-sql/statements/set-lock-timeout-transact-sql
 */
function limitLockWaits(connection: Internals, lockTimeoutSeconds: number): void {
  const initial = connection.getInitialSql.bind(connection);
  const milliseconds = Math.ceil(lockTimeoutSeconds * 1000);
  connection.getInitialSql = () => `${initial()}\nset lock_timeout ${milliseconds}`;
}

/** Keeps the numbers of the server's errors: the driver makes a text of them, in the language of the login. */
function keepLoginMessages(connection: Connection): void {
  const messages: ServerMessage[] = [];
  const note = (message: ServerMessage): void => {
    messages.push(message);
  };
  const emitter: EventEmitter = connection;
  emitter.on('errorMessage', note);
  emitter.once('connect', (error?: Error) => {
    emitter.off('errorMessage', note);
    if (error !== undefined) saidTo.set(error, messages);
  });
}
