/**
 * Makes work run once at a time. A call during the work waits for a run that begins after it, together with all calls that came meanwhile: each call's
 * run begins after the call.
 */
export function oneRunAtATime<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | null = null;
  return () => {
    if (next !== null) return next;
    const run = running.then(() => {
      next = null;
      return work();
    });
    running = run.catch(() => undefined);
    next = run;
    return run;
  };
}
