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
