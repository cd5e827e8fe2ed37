/** What is run one after the other, until something fails. */
export class Turns {
  #isOver = false;
  #failure: { readonly error: unknown } | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** @throws what the work throws; without running it, what the first that failed threw */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isOver) return Promise.reject(new Error('The transaction is over.'));
    const turn = this.#last.then(async () => {
      this.checkFailure();
      try {
        return await work();
      } catch (error) {
        this.#failure = { error };
        throw error;
      }
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** A turn that lasts as long as the items are asked for. */
  async *iterate<Item>(items: () => AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
    let end: (failure: { readonly error: unknown } | null) => void = () => undefined;
    let turn: Promise<void> = Promise.resolve();
    await new Promise<void>((begin, refuse) => {
      turn = this.take(async () => {
        const ended = new Promise<{ readonly error: unknown } | null>((resolve) => {
          end = resolve;
        });
        begin();
        const failure = await ended;
        if (failure !== null) throw failure.error;
      });
      turn.catch(refuse);
    });
    let failure: { readonly error: unknown } | null = null;
    try {
      yield* items();
    } catch (error) {
      failure = { error };
    } finally {
      end(failure);
    }
    await turn;
  }

  /** Nothing is run any more. @returns when nothing is on its way */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#last;
  }

  /** @throws what the first that failed threw */
  checkFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }
}
