import { ClientGone } from '../base/client-gone.ts';
import { ProtocolError } from '../base/errors.ts';
import type { DriverErrors } from './driver.ts';
import { databaseError, databaseErrors, type WhenLost } from './errors.ts';
import { StatementStopped } from './supervise.ts';

/** What a statement was for, as far as its failure is concerned. */
export type Purpose =
  { readonly effect: 'read' } | { readonly effect: 'write'; readonly whenLost: WhenLost };

/** What is thrown for what went wrong on a connection: the gateway's error, or that nobody waits any more. */
export function failure(
  error: unknown,
  purpose: Purpose,
  errors: DriverErrors,
): ProtocolError | ClientGone {
  if (error instanceof ProtocolError || error instanceof ClientGone) return error;
  if (!(error instanceof StatementStopped)) {
    return purpose.effect === 'read'
      ? errors.ofRead(error)
      : errors.ofWrite(error, purpose.whenLost);
  }
  if (error.reason === 'signal') return new ClientGone(error);
  const { cause, isAcknowledged } = error;
  if (purpose.effect === 'read' || (isAcknowledged && !errors.isLost(cause))) {
    return databaseError(databaseErrors.timeout, error);
  }
  return databaseError(databaseErrors[purpose.whenLost === 'unknown' ? 'unknown' : 'away'], error);
}
