/** How much one request may ask for. */
export interface RequestLimits {
  readonly maxTop: number;
  /** Whether a larger `$top` is refused, or its page shortened. */
  readonly beyondMaxTop: 'refuse' | 'shorten';
  readonly maxFilterComparisons: number;
  /** How many groups one answer may have. */
  readonly maxGroups: number;
  /** How many objects one body may hold, nested ones included. */
  readonly maxEntities: number;
  /** How many relations a path may go over. */
  readonly maxExpandDepth: number;
}

/** How many keys a URL may name, and values a list may hold: entity sets and filters are for more. */
export const MOST_ITEMS = 5000;

/** The defaults of `config.yaml`: a process can hold many such pages at once, and such a filter does not make a statement too large. */
export const defaultLimits: RequestLimits = {
  maxTop: 10_000,
  beyondMaxTop: 'refuse',
  maxEntities: 10_000,
  maxFilterComparisons: 500,
  maxGroups: 10_000,
  maxExpandDepth: 10,
};

/** How many rows a call may answer in all: they are held in memory at once. */
export const MOST_CALLED_ROWS = 100_000;
