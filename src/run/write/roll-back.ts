import type { ProtocolError } from '../../base/errors.ts';
import { Refused, type Attempt } from './attempt.ts';
import type { Element } from './outcome.ts';
import { atomicError } from './write-errors.ts';

/** What ends the attempt, because the database took what it did not keep: all that it did is rolled back. */
export function rolledBack(element: Element, error: ProtocolError, attempt: Attempt): Error {
  return attempt.atomic ? atomicError(error, element, attempt) : new Refused(error);
}
