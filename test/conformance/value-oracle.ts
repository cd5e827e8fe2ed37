/** What of values has to be computed, and which are distinct, worked out from the rows of the sample and from the documentation alone. */
import type { Value } from '../fixtures/legacy/data.ts';
import { columnOf, related, relationTarget, type Row } from './oracle.ts';
import { facts } from './dataclasses.ts';
import { numberOf, valueOf } from './values.ts';

/** The values of an attribute, in the order of the rows, nulls left out. */
export function valuesAt(dataclass: string, rows: readonly Row[], attribute: string): Value[] {
  const column = facts(dataclass).attributes[attribute] ?? '';
  return rows.map((row) => row[column] ?? null).filter((value) => value !== null);
}

/** The rows at the end of a path: of each row those it leads to, as often as it is led to. */
export function ends(dataclass: string, rows: readonly Row[], path: readonly string[]): Row[] {
  let here = dataclass;
  let found: Row[] = [...rows];
  for (const name of path) {
    const from = here;
    found = found.flatMap((row) => related(from, row, name));
    here = relationTarget(here, name);
  }
  return found;
}

/** Values in their order, each once. */
export function distinctOf(values: readonly Value[]): Value[] {
  return [...new Set(values)].sort((one, other) => (isLess(one, other) ? -1 : 1));
}

/** Numbers by their size, texts by their characters. */
function isLess(one: Value | undefined, other: Value | undefined): boolean {
  if (typeof one === 'string' && typeof other === 'string' && isNumber(one) && isNumber(other)) {
    const [left, right] = [scaled(one, 20), scaled(other, 20)];
    return left < right;
  }
  return (one ?? '') < (other ?? '');
}

function isNumber(text: string): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(text);
}

/** A number as a whole one of so many decimals. */
function scaled(digits: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = digits.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** All that is computed of values that have an order. */
export function ordered(dataclass: string, attribute: string, values: readonly Value[]): object {
  const column = columnOf(dataclass, attribute);
  const all = distinctOf(values);
  return {
    count: values.length,
    min: valueOf(column, all[0] ?? null),
    max: valueOf(column, all.at(-1) ?? null),
  };
}

/** The same of exact numbers, with their sum and their average. */
export function numeric(dataclass: string, attribute: string, values: readonly Value[]): object {
  const { count, ...extremes } = ordered(dataclass, attribute, values) as { count: number };
  const texts = values.map(String);
  const decimals = Math.max(0, ...texts.map((text) => text.split('.')[1]?.length ?? 0));
  const sum = texts.reduce((total, text) => total + scaled(text, decimals), 0n);
  return {
    count,
    sum: numberOf(plain(sum, decimals)),
    average: count === 0 ? null : numberOf(average(sum, decimals, BigInt(count))),
    ...extremes,
  };
}

/** Ten digits more than the sum has without zeros at its end. */
function average(sum: bigint, decimals: number, count: bigint): string {
  let [shorter, digits] = [sum, decimals];
  while (digits > 0 && shorter % 10n === 0n) {
    shorter /= 10n;
    digits -= 1;
  }
  const size = (shorter < 0n ? -shorter : shorter) * 10n ** 10n;
  const rounded = size / count + ((size % count) * 2n >= count ? 1n : 0n);
  const text = plain(shorter < 0n ? -rounded : rounded, digits + 10);
  return text.replace(/\.?0+$/, '');
}

function plain(number: bigint, decimals: number): string {
  const digits = (number < 0n ? -number : number).toString().padStart(decimals + 1, '0');
  const sign = number < 0n ? '-' : '';
  if (decimals === 0) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** A float near to another one: engines add up in orders of their own. */
export function near(expected: number): unknown {
  return {
    asymmetricMatch: (value: unknown): boolean => {
      const found =
        typeof value === 'object' && value !== null
          ? Number((value as { digits?: string }).digits)
          : value;
      return typeof found === 'number' && Math.abs(found - expected) <= Math.abs(expected) * 1e-12;
    },
    toString: () => `near ${expected}`,
    toAsymmetricMatcher: () => `near ${expected}`,
  };
}
