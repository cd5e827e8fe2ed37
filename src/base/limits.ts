/** How much one request may ask for. */
export interface RequestLimits {
  /** The largest `$top`. */
  readonly maxTop: number;
  /** What becomes of a larger one: the request is refused, or its page is shortened. */
  readonly beyondMaxTop: 'refuse' | 'shorten';
  /** How many comparisons one filter may hold. */
  readonly maxFilterComparisons: number;
  /** How many objects one body may hold, those within others counted as well. */
  readonly maxEntities: number;
  /** How many relations a path may go over. */
  readonly maxExpandDepth: number;
}

/** How many keys a URL may name, and values a list may hold: an entity set, or a filter, says it of more. */
export const MOST_ITEMS = 5000;

/**
 * The limits where `config.yaml` sets no others: a page that a process can hold many of at once, and more comparisons and relations than
 * people ask for, few enough to bound one statement.
 */
export const defaultLimits: RequestLimits = {
  maxTop: 10_000,
  beyondMaxTop: 'refuse',
  maxEntities: 10_000,
  maxFilterComparisons: 500,
  maxExpandDepth: 10,
};

/** How many rows a call may answer in all: they are held in memory at once. */
export const MOST_CALLED_ROWS = 100_000;
