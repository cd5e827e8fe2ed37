import type { WriteContext } from './attempt.ts';
import { isFailed, type Step } from './outcome.ts';
import { atomicError } from './write-errors.ts';

/**
 * Ends an attempt at all or none at the first element that failed; any other goes on with what is left.
 * @throws ProtocolError naming the element; Refused of the entity that it is within
 */
export function failFast<Ready extends object>(
  steps: readonly Step<Ready>[],
  context: WriteContext,
): readonly Step<Ready>[] {
  const first = context.atomic ? steps.find((step) => isFailed(step)) : undefined;
  if (first !== undefined) throw atomicError(first.failure.error, first, context);
  return steps;
}

/** The same of one element, as soon as it is known what it comes to. */
export function failAtOnce<Ready extends object>(
  step: Step<Ready>,
  context: WriteContext,
): Step<Ready> {
  failFast([step], context);
  return step;
}
