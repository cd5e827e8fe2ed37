/** One statement that was run, without its values: they may be anybody's secrets. */
export interface StatementRun {
  /** Equal for statements of equal text, short enough for a label. */
  readonly name: string;
  readonly text: string;
  /** From handing it to the connection until its last row, in milliseconds. */
  readonly milliseconds: number;
  /** How many rows it answered; null where it failed. */
  readonly rows: number | null;
}

/** A stage of the pipeline, as logs and metrics name it. */
export type Stage = 'body' | 'request' | 'plan' | 'sql' | 'values' | 'execute' | 'respond';

/**
 * Hears what happens on behalf of one request. Whoever wants to know, the log or metrics, is one of these; nothing else tells.
 * An observer does not throw, and does not wait.
 */
export interface RequestObserver {
  /** A stage was run; one may be run several times. @param milliseconds how long it took */
  readonly stageDone: (stage: Stage, milliseconds: number) => void;
  readonly statementRun: (statement: StatementRun) => void;
  /** A connection of the pool was waited for. @param milliseconds until it came, or was given up */
  readonly poolWaited: (milliseconds: number) => void;
  /** Something failed that is no fault of the client's; the request may have been answered all the same. */
  readonly errorMet: (error: Error) => void;
}

/** On whose behalf statements run: whose leaving stops them, and who hears of them. */
export interface Activity {
  /** Aborted when nobody waits for the result any more, such as when the client has gone. */
  readonly signal: AbortSignal;
  readonly observer: RequestObserver;
}

function ignore(): void {
  // Nobody listens.
}

/** What the gateway does on its own behalf: nobody leaves, and nobody listens. */
export const unattended: Activity = {
  signal: new AbortController().signal,
  observer: { stageDone: ignore, statementRun: ignore, poolWaited: ignore, errorMet: ignore },
};
