import { ClientGone } from '../base/abort.ts';
import { ProtocolError } from '../base/errors.ts';
import type { DriverErrors } from './driver.ts';
import { databaseError, databaseErrors, type DatabaseError, type WhenLost } from './errors.ts';
import { StatementStopped } from './supervise.ts';
import { DatabaseRefusal, type Violation } from './violation.ts';

/** What a statement was for, as far as its failure is concerned. */
export type Purpose =
  | { readonly effect: 'read' }
  | {
      readonly effect: 'write';
      readonly whenLost: WhenLost;
      /** It may be done although the engine told that it gave it up; left out where it is not. */
      readonly mayBeDone?: boolean;
    };

/** What is thrown for what went wrong on a connection: the gateway's error, or that nobody waits any more. */
export function failure(
  error: unknown,
  purpose: Purpose,
  errors: DriverErrors,
): ProtocolError | ClientGone {
  if (error instanceof ProtocolError || error instanceof ClientGone) return error;
  if (!(error instanceof StatementStopped)) {
    return purpose.effect === 'read'
      ? readFailure(error, errors)
      : writeFailure(error, purpose.whenLost, errors);
  }
  if (error.reason === 'signal') return new ClientGone(error);
  const { cause, isAcknowledged } = error;
  const isGivenUp = isAcknowledged && !errors.isLost(cause);
  if (purpose.effect === 'read' || (isGivenUp && purpose.mayBeDone !== true)) {
    return databaseError(databaseErrors.timeout, error);
  }
  return databaseError(lostError(purpose.whenLost), error);
}

/** What a read is answered that failed by itself. */
function readFailure(error: unknown, errors: DriverErrors): ProtocolError {
  const passing = errors.classify(error);
  if (passing !== null) return databaseError(passing, error);
  const violation = errors.violation(error);
  const refused = databaseError(refusedRead(error, violation, errors), error);
  // Of the keys of a body, one may hold such text.
  return violation.ofStatement === true || violation.rule === 'unencodable'
    ? new DatabaseRefusal(violation, refused.message, error, refused.errorName)
    : refused;
}

function refusedRead(error: unknown, { rule }: Violation, errors: DriverErrors): DatabaseError {
  if (rule === 'notAllowed') return databaseErrors.mayNotRead;
  if (rule === 'outdated') return databaseErrors.outdated;
  // Of all that is read, sums alone may leave the range of numbers.
  return rule === 'outOfRange' ? databaseErrors.overflow : errors.refusedRead(error);
}

/** What a write, or a commit, is answered that failed by itself. */
function writeFailure(error: unknown, whenLost: WhenLost, errors: DriverErrors): ProtocolError {
  if (errors.isLost(error)) {
    return databaseError(
      errors.wasSent(error) ? lostError(whenLost) : databaseErrors.unavailable,
      error,
    );
  }
  const passing = errors.classify(error);
  if (passing !== null) return databaseError(passing, error);
  const violation = errors.violation(error);
  const told = violation.rule === 'outdated' ? databaseErrors.outdated : databaseErrors.refused;
  const refused = databaseError(told, error);
  return new DatabaseRefusal(violation, refused.message, error, refused.errorName);
}

/** What a change is answered whose connection was lost on the way. */
function lostError(whenLost: WhenLost): DatabaseError {
  return databaseErrors[whenLost === 'unknown' ? 'unknown' : 'unavailable'];
}
