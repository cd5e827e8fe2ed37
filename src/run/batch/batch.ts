import { ClientGone, onAbort } from '../../base/abort.ts';

/** Work that several requests wait for. */
export interface Batch<Result> {
  readonly result: Promise<Result>;
  /** Begins it, once. */
  readonly begin: () => void;
  /** How many wait for it at the moment. */
  readonly waiting: () => number;
  /**
   * Waits for it with all others. What nobody waits for any more is stopped.
   * @throws ClientGone where the signal is aborted before; what the work throws
   */
  readonly join: (signal: AbortSignal) => Promise<Result>;
}

/** Controllers of work that has ended and that nobody stopped: to make one, and to listen to it, takes longer than many a statement's share of all else. */
const unused: AbortController[] = [];

/** How many are kept. */
const MOST_UNUSED = 64;

/** @param work is given the signal that is aborted when nobody waits for it any more */
export function newBatch<Result>(work: (signal: AbortSignal) => Promise<Result>): Batch<Result> {
  const leaving = unused.pop() ?? new AbortController();
  let isOver = false;
  let waiting = 0;
  let begin = (): void => undefined;
  const result = new Promise<Result>((resolve, reject) => {
    begin = () => {
      work(leaving.signal).then(resolve, reject);
    };
  });
  const end = (): void => {
    isOver = true;
    if (!leaving.signal.aborted && unused.length < MOST_UNUSED) unused.push(leaving);
  };
  // Whoever waited may have left.
  result.then(end, end);
  const join = (signal: AbortSignal): Promise<Result> => {
    if (signal.aborted) return Promise.reject(new ClientGone(signal.reason));
    waiting += 1;
    return new Promise((resolve, reject) => {
      const ignoreAbort = onAbort(signal, () => {
        waiting -= 1;
        // What has ended is not stopped: others may have its signal by now.
        if (waiting === 0 && !isOver) leaving.abort(signal.reason);
        reject(new ClientGone(signal.reason));
      });
      result.then(
        (found) => {
          ignoreAbort();
          resolve(found);
        },
        (error: unknown) => {
          ignoreAbort();
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it came
          reject(error);
        },
      );
    });
  };
  return { result, begin, waiting: () => waiting, join };
}
