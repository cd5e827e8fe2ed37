import type { EventEmitter } from 'node:events';
import type { Connection } from 'tedious';
import type { ServerMessage } from './request-failure.ts';

/** What of the driver's connection its types call private. */
interface Internals {
  getInitialSql: () => string;
  createTokenStreamParser: (...parts: readonly unknown[]) => { readonly parser: EventEmitter };
  readonly socket?: { readonly destroy: (error: Error) => void };
}

/** What the server said before a connection failed to be made, by the driver's error. */
const saidTo = new WeakMap<object, readonly ServerMessage[]>();

/**
 * Sees to a connection of the driver's (19.2.2) before it connects.
 * @param lockTimeoutSeconds how long its statements wait for locks
 */
export function prepareConnection(connection: Connection, lockTimeoutSeconds: number): void {
  guardParser(connection as unknown as Internals);
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
 * Breaks a connection off whose answers cannot be read. The driver listens to no error of its parser's, so that one would end the
 * process.
 */
function guardParser(connection: Internals): void {
  const create = connection.createTokenStreamParser.bind(connection);
  connection.createTokenStreamParser = (...parts) => {
    const made = create(...parts);
    made.parser.on('error', (error: Error) => {
      connection.socket?.destroy(error);
    });
    return made;
  };
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
