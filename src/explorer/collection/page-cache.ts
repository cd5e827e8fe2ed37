/** Loads rows from `skip` on, at most `top` of them. */
export type LoadPage<Row> = (
  skip: number,
  top: number,
  signal: AbortSignal,
) => Promise<readonly Row[]>;

/** How many rows a page has. */
export const PAGE_ROWS = 100;

/** How many pages are kept; those that were seen last. */
const MOST_PAGES = 60;

/** How many pages are loaded at a time; browsers open no more than six connections to a host. */
const MOST_LOADS = 3;

/**
 * The pages of a collection that are seen or were seen last. Pages are loaded when rows of them are shown, and given up when they are scrolled past before they have come.
 */
export class PageCache<Row> {
  readonly #load: LoadPage<Row>;
  readonly #changed: () => void;
  /** By number; those that were seen last stand last. */
  readonly #pages = new Map<number, readonly Row[]>();
  readonly #loads = new Map<number, AbortController>();
  readonly #failures = new Map<number, unknown>();
  #wanted: readonly number[] = [];
  #isClosed = false;

  /** @param changed called when a page has come or failed */
  constructor(load: LoadPage<Row>, changed: () => void) {
    this.#load = load;
    this.#changed = changed;
  }

  /** Puts in a page that has come otherwise. */
  put(page: number, rows: readonly Row[]): void {
    this.#pages.set(page, rows);
  }

  /** A row by its index; undefined while it is not loaded. */
  row(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
  }

  /** The error of a shown page that failed, if there is one. */
  get failure(): unknown {
    for (const page of this.#wanted) {
      if (this.#failures.has(page)) return this.#failures.get(page);
    }
    return undefined;
  }

  /**
   * Says which rows are shown; their pages are loaded, then the next one in the direction of the scroll.
   * @param first the index of the first row; @param last of the last one; @param count how many there are in all
   */
  show(first: number, last: number, count: number, isUpwards = false): void {
    this.#wanted = pagesToLoad(first, last, count, isUpwards);
    for (const [page, load] of this.#loads) {
      if (!this.#wanted.includes(page)) load.abort();
    }
    for (const page of this.#wanted.toReversed()) this.#touch(page);
    this.#next();
  }

  /** Tries again what failed. */
  retry(): void {
    this.#failures.clear();
    this.#next();
  }

  /** Forgets all pages. */
  clear(): void {
    for (const load of this.#loads.values()) load.abort();
    this.#loads.clear();
    this.#pages.clear();
    this.#failures.clear();
  }

  /** Ends all loads; nothing is loaded or told any more. */
  close(): void {
    this.#isClosed = true;
    this.clear();
  }

  #touch(page: number): void {
    const rows = this.#pages.get(page);
    if (rows === undefined) return;
    this.#pages.delete(page);
    this.#pages.set(page, rows);
  }

  #next(): void {
    for (const page of this.#wanted) {
      if (this.#isClosed || this.#loads.size >= MOST_LOADS) return;
      const isKnown = this.#pages.has(page) || this.#loads.has(page) || this.#failures.has(page);
      if (!isKnown) void this.#fetch(page);
    }
  }

  async #fetch(page: number): Promise<void> {
    const load = new AbortController();
    this.#loads.set(page, load);
    try {
      const rows = await this.#load(page * PAGE_ROWS, PAGE_ROWS, load.signal);
      if (!load.signal.aborted) this.#keep(page, rows);
    } catch (error) {
      if (!load.signal.aborted) this.#failures.set(page, error);
    }
    if (this.#loads.get(page) === load) this.#loads.delete(page);
    if (this.#isClosed) return;
    this.#next();
    this.#changed();
  }

  #keep(page: number, rows: readonly Row[]): void {
    this.#pages.set(page, rows);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MOST_PAGES) return;
      this.#pages.delete(oldest);
    }
  }
}

/** The pages to load for shown rows: those that they are on, then the next one in the direction of the scroll. */
export function pagesToLoad(
  first: number,
  last: number,
  count: number,
  isUpwards: boolean,
): readonly number[] {
  if (count === 0) return [];
  const pageOf = (index: number): number =>
    Math.floor(Math.min(Math.max(0, index), count - 1) / PAGE_ROWS);
  const [from, to] = [pageOf(first), pageOf(last)];
  const shown = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const ahead = isUpwards ? from - 1 : to + 1;
  return ahead >= 0 && ahead <= pageOf(count - 1) ? [...shown, ahead] : shown;
}
