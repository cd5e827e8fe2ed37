import type { ReloadOutcome } from '../reload/changes.ts';
import { oneRunAtATime } from '../reload/joined.ts';
import type { ToWorker } from './messages.ts';

/** A worker that serves. */
export interface ReloadingWorker {
  readonly tell: (message: ToWorker) => void;
}

/** Reloads all workers, one round after the other: first each prepares itself, then all change, or none. */
export class ReloadRounds<Worker extends ReloadingWorker> {
  readonly #serving: () => readonly Worker[];
  #round = 0;
  #awaited = new Map<Worker, (outcome: ReloadOutcome | null) => void>();

  /** Reloads all workers; null where none serves. Calls at the same time may share a round. */
  readonly reload = oneRunAtATime(() => this.#run());

  constructor(serving: () => readonly Worker[]) {
    this.#serving = serving;
  }

  /** The number of the last round. */
  get round(): number {
    return this.#round;
  }

  prepared(worker: Worker, round: number, outcome: ReloadOutcome): void {
    if (round === this.#round) this.#awaited.get(worker)?.(outcome);
  }

  /** To be called when a worker has ended. */
  left(worker: Worker): void {
    this.#awaited.get(worker)?.(null);
  }

  async #run(): Promise<ReloadOutcome | null> {
    this.#round += 1;
    const round = this.#round;
    const workers = this.#serving();
    const results = await Promise.all(
      workers.map(
        (worker) =>
          new Promise<ReloadOutcome | null>((resolve) => {
            this.#awaited.set(worker, resolve);
            worker.tell({ kind: 'prepareReload', round });
          }),
      ),
    );
    const living = workers.filter((_, index) => results[index] !== null);
    const outcomes = results.filter((result) => result !== null);
    this.#awaited = new Map();
    const outcome = outcomes.find(({ ok }) => !ok) ?? outcomes[0] ?? null;
    if (outcome === null) return null;
    for (const [index, worker] of living.entries()) {
      worker.tell({ kind: 'endReload', outcome, isTeller: index === 0 });
    }
    return outcome;
  }
}
