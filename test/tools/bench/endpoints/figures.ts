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

/** The value that a share of the values does not exceed; NaN of none. @param share from 0 to 1 */
export function percentile(values: readonly number[], share: number): number {
  return ascending(values)[Math.max(0, Math.ceil(share * values.length) - 1)] ?? Number.NaN;
}

function ascending(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other);
}

/** A number with about three digits that tell something: `5,650`, `23.4`, `0.48`. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
