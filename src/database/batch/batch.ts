import { ClientGone, onAbort } from '../../base/abort.ts';

/** Work that several requests wait for. */
export interface Batch<Result> {
  readonly result: Promise<Result>;
  /** Begins the work, once. */
  readonly begin: () => void;
  /** The number of requests that wait for it. */
  readonly waiting: () => number;
  /**
   * Waits for the work. It is stopped when no request waits for it any more.
   * @throws ClientGone when the signal is aborted before; what the work throws
   */
  readonly join: (signal: AbortSignal) => Promise<Result>;
}

/** Controllers to use again: making one, and listening to it, takes long compared with a short statement. */
const unused: AbortController[] = [];
const MOST_UNUSED = 64;

/** @param work is given the signal that stops it */
export function newBatch<Result>(work: (signal: AbortSignal) => Promise<Result>): Batch<Result> {
  const stop = unused.pop() ?? new AbortController();
  let isOver = false;
  let waiting = 0;
  let begin = (): void => undefined;
  const result = new Promise<Result>((resolve, reject) => {
    begin = () => {
      work(stop.signal).then(resolve, reject);
    };
  });
  const end = (): void => {
    isOver = true;
    if (!stop.signal.aborted && unused.length < MOST_UNUSED) unused.push(stop);
  };
  // Also when no request waits for it any more.
  result.then(end, end);
  const join = (signal: AbortSignal): Promise<Result> => {
    if (signal.aborted) return Promise.reject(new ClientGone(signal.reason));
    waiting += 1;
    return new Promise((resolve, reject) => {
      const ignoreAbort = onAbort(signal, () => {
        waiting -= 1;
        // After the end another batch may have the controller.
        if (waiting === 0 && !isOver) stop.abort(signal.reason);
        reject(new ClientGone(signal.reason));
      });
      result.then(ignoreAbort, ignoreAbort);
      result.then(resolve, reject);
    });
  };
  return { result, begin, waiting: () => waiting, join };
}
