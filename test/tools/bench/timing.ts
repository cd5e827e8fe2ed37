/** How long a piece of work takes, in milliseconds. */
export async function time(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The value in the middle, of two the mean; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const middle = sorted.length / 2;
  const [below, above] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return ((below ?? Number.NaN) + (above ?? Number.NaN)) / 2;
}

/** The median of some values, with the least and the most: `3.9 (3.1–8.0)`. */
export function spread(values: readonly number[], digits: number): string {
  const sorted = ascending(values);
  const [least = Number.NaN, most = Number.NaN] = [sorted[0], sorted.at(-1)];
  return `${median(values).toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`;
}

function ascending(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other);
}
