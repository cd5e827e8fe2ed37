import type { Request } from 'tedious';
import type { Row } from '../database.ts';
import type { DriverCursor } from '../driver.ts';

/**
 * The rows of a request as they are asked for. A request that is ahead of its reader is paused: the driver then stops reading
 * from the socket, and so the server stops sending (https://tediousjs.github.io/tedious/api-request.html#function_pause).
 */
export class RequestCursor implements DriverCursor {
  readonly #request: Request;
  readonly #batchRows: number;
  readonly #rows: Row[] = [];
  #end: { readonly error?: Error } | null = null;
  #wake: () => void = () => undefined;

  constructor(request: Request, batchRows: number) {
    this.#request = request;
    this.#batchRows = batchRows;
  }

  /** A row came. */
  readonly add = (row: Row): void => {
    this.#rows.push(row);
    if (this.#rows.length < this.#batchRows) return;
    this.#request.pause();
    this.#wake();
  };

  /** The request has ended, with an error where it failed. */
  end(error?: Error): void {
    this.#end = error === undefined ? {} : { error };
    this.#wake();
  }

  readonly next = async (): Promise<readonly Row[]> => {
    if (this.#rows.length < this.#batchRows)
      await this.#change(() => this.#rows.length >= this.#batchRows);
    if (this.#end?.error !== undefined) throw this.#end.error;
    return this.#rows.splice(0, this.#batchRows);
  };

  readonly close = async (): Promise<void> => {
    if (this.#end !== null) return;
    this.#request.cancel();
    await this.#change(() => false);
  };

  /** Lets rows come until there are enough, or there are no more. */
  async #change(isEnough: () => boolean): Promise<void> {
    while (this.#end === null && !isEnough()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#request.resume();
      });
    }
  }
}
