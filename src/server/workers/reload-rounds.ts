import type { ReloadOutcome } from '../reload/changes.ts';
import { oneRunAtATime } from '../reload/reloads.ts';
import type { ToWorker } from './messages.ts';

/** A worker that serves. */
export interface ReloadingWorker {
  readonly send: (message: ToWorker) => void;
}

/** Reloads all workers, one round after the other: first each prepares itself, then all change, or none. */
export class ReloadRounds<Worker extends ReloadingWorker> {
  readonly #serving: () => readonly Worker[];
  #number = 0;
  #round = new Round<Worker, ReloadOutcome>();

  /** Reloads all workers; null where none serves. Calls at the same time may share a round. */
  readonly reload = oneRunAtATime(() => this.#run());

  constructor(serving: () => readonly Worker[]) {
    this.#serving = serving;
  }

  /** The number of the last round. */
  get number(): number {
    return this.#number;
  }

  prepared(worker: Worker, number: number, outcome: ReloadOutcome): void {
    if (number === this.#number) this.#round.reply(worker, outcome);
  }

  /** To be called when a worker has ended. */
  left(worker: Worker): void {
    this.#round.reply(worker, null);
  }

  async #run(): Promise<ReloadOutcome | null> {
    this.#number += 1;
    this.#round = new Round();
    const message = { kind: 'prepareReload', round: this.#number } as const;
    const workers = this.#serving();
    const results = await this.#round.ask(workers, ({ send }) => send(message));
    const living = workers.filter((_, index) => results[index] !== null);
    const outcomes = results.filter((result) => result !== null);
    const outcome = outcomes.find(({ ok }) => !ok) ?? outcomes[0] ?? null;
    if (outcome === null) return null;
    for (const [index, worker] of living.entries()) {
      worker.send({ kind: 'endReload', outcome, logsOutcome: index === 0 });
    }
    return outcome;
  }
}

/** One question to workers, whose replies are gathered. */
export class Round<Worker, Reply> {
  readonly #awaited = new Map<Worker, (reply: Reply | null) => void>();

  /**
   * Asks workers.
   * @param milliseconds how long they may take; forever where it is left out
   * @returns their replies, in the same order; null for those that have ended, or took too long
   */
  async ask(
    workers: readonly Worker[],
    ask: (worker: Worker) => void,
    milliseconds?: number,
  ): Promise<(Reply | null)[]> {
    const replies = workers.map(
      (worker) =>
        new Promise<Reply | null>((resolve) => {
          this.#awaited.set(worker, resolve);
          ask(worker);
        }),
    );
    const tooLong =
      milliseconds === undefined
        ? undefined
        : setTimeout(() => {
            for (const worker of workers) this.reply(worker, null);
          }, milliseconds);
    const all = await Promise.all(replies);
    clearTimeout(tooLong);
    return all;
  }

  /** To be called with a worker's reply; null where it has ended. */
  reply(worker: Worker, reply: Reply | null): void {
    this.#awaited.get(worker)?.(reply);
  }
}
