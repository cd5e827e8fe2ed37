import type { Attended, Stage } from './observer.ts';

/**
 * Runs a stage, and tells how long it took, also where it fails.
 * @throws the reason of the signal where nobody waits for the result any more: then the stage is not begun
 */
export function timed<Result>(
  { signal, observer }: Attended,
  stage: Stage,
  work: () => Result,
): Result {
  signal.throwIfAborted();
  const start = performance.now();
  try {
    return work();
  } finally {
    observer.stageDone(stage, performance.now() - start);
  }
}

/** The same of a stage that waits for something. */
export async function timedAsync<Result>(
  { signal, observer }: Attended,
  stage: Stage,
  work: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const start = performance.now();
  try {
    return await work();
  } finally {
    observer.stageDone(stage, performance.now() - start);
  }
}
