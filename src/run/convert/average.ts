/** How many digits more than the sum an average has behind its point. */
const MORE_DIGITS = 10;

/**
 * The average of exact numbers, the same on every engine: each would give it a scale of its own.
 * @param sum plain digits
 * @param count how many numbers it is the sum of; not 0
 * @returns plain digits, ten more behind the point than the sum has, the last one rounded, half away from zero; without zeros at the end
 */
export function exactAverage(sum: string, count: bigint): string {
  const shortest = withoutLastZeros(sum);
  const [, fraction = ''] = shortest.split('.');
  const digits = fraction.length + MORE_DIGITS;
  const scaled = BigInt(shortest.replace('.', '')) * 10n ** BigInt(MORE_DIGITS);
  const size = scaled < 0n ? -scaled : scaled;
  const rounded = ((2n * size + count) / (2n * count)).toString().padStart(digits + 1, '0');
  const plain = `${rounded.slice(0, -digits)}.${rounded.slice(-digits)}`;
  const average = withoutLastZeros(plain);
  return scaled < 0n && average !== '0' ? `-${average}` : average;
}

/** A plain number without the zeros at the end of its fraction: `2.50` as `2.5`, `3.0` as `3`. */
export function withoutLastZeros(number: string): string {
  if (!number.includes('.')) return number;
  let end = number.length;
  while (number[end - 1] === '0') end -= 1;
  return number.slice(0, number[end - 1] === '.' ? end - 1 : end);
}
