import { ConnectionError, RequestError } from 'tedious';
import type { DriverErrors } from '../driver.ts';
import { databaseErrors, type DatabaseError } from '../errors.ts';
import { DatabaseRefusal } from '../violation.ts';
import { loginMessagesOf } from './new-connection.ts';
import { loginError, transientError } from './transient.ts';
import { RequestFailure } from './request-failure.ts';
import { sqlServerViolation } from './violation.ts';

/** The refusal of work whose transaction the server ended without an error, as a procedure's ROLLBACK does. */
export function rolledBackByServer(): DatabaseRefusal {
  return new DatabaseRefusal(
    { rule: 'raised', names: [] },
    databaseErrors.refused.message,
    new Error('The server rolled the transaction back, and reported no error.'),
  );
}

/** From this severity on, the server ends the connection. */
const FATAL = 20;

/** What the driver says of a request that it does not send, because its connection is gone already. */
const NOT_SENT = 'EINVALIDSTATE';

/** What the driver says of a request whose connection it closed. */
const CLOSED = 'ECLOSE';

/** Whether the connection is gone: the server said that it ends it, or nothing any more. */
function isLost(error: unknown): boolean {
  if (!(error instanceof RequestFailure)) return error instanceof ConnectionError;
  const { messages, cause } = error;
  if (messages.some((one) => one.class >= FATAL)) return true;
  if (cause instanceof RequestError) return [NOT_SENT, CLOSED].includes(cause.code ?? '');
  // Of several errors of the server the driver makes one; what else there is comes from the socket.
  return !(cause instanceof AggregateError);
}

function wasSent(error: unknown): boolean {
  const cause = error instanceof RequestFailure ? error.cause : null;
  return !(cause instanceof RequestError && cause.code === NOT_SENT);
}

/** What has nothing to do with the statement itself. */
function classify(error: unknown): DatabaseError | null {
  return isLost(error) ? databaseErrors.unavailable : transientError(error);
}

/** Why there is no connection. */
function connecting(error: unknown): DatabaseError {
  return loginError(loginMessagesOf(error)) ?? databaseErrors.unavailable;
}

/** SQL Server's errors, as the driver throws them. */
export const sqlServerErrors: DriverErrors = {
  isLost,
  wasSent,
  connecting,
  classify,
  refusedRead: () => databaseErrors.refused,
  violation: sqlServerViolation,
};
