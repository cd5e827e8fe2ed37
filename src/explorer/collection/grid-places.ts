/** Where the user is in a grid. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** How a grid was left. */
export interface LeftGrid {
  readonly place: Place;
  /** The scroll position among all rows, and the height of the grid, in pixels. */
  readonly logical: number;
  readonly height: number;
}

const left = new Map<number, LeftGrid>();

/** The number of the present entry of the browser's history, which it keeps when the user goes elsewhere and comes back. */
export function historyEntry(): number {
  const state = history.state as { entry?: unknown } | null;
  if (typeof state?.entry === 'number') return state.entry;
  const entry = Date.now() + Math.random();
  history.replaceState({ entry }, '');
  return entry;
}

/** Keeps how the grid of an entry is left, until the page is closed. */
export function leaveGrid(entry: number, grid: LeftGrid): void {
  left.set(entry, grid);
}

/** How the grid of an entry was left; undefined where it is shown for the first time. */
export function leftGrid(entry: number): LeftGrid | undefined {
  return left.get(entry);
}
