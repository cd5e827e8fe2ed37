/** Adds up the time that one request spends in each stage, for its line in the log. */
export class Stopwatch {
  readonly #milliseconds = new Map<string, number>();

  time<Result>(stage: string, work: () => Result): Result {
    const start = performance.now();
    try {
      return work();
    } finally {
      this.#add(stage, performance.now() - start);
    }
  }

  async timeAsync<Result>(stage: string, work: () => Promise<Result>): Promise<Result> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.#add(stage, performance.now() - start);
    }
  }

  /** Milliseconds by stage, to the microsecond. */
  get stages(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.#milliseconds].map(([stage, time]) => [stage, Math.round(time * 1000) / 1000]),
    );
  }

  #add(stage: string, milliseconds: number): void {
    this.#milliseconds.set(stage, (this.#milliseconds.get(stage) ?? 0) + milliseconds);
  }
}
