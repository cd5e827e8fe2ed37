import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NOWHERE, spanOf, spanOfBoth, type Span } from '../../../src/state/entity-set/chunk.ts';

const ascending = fc
  .uniqueArray(fc.maxSafeInteger(), { maxLength: 20 })
  .map((found) => found.sort((a, b) => a - b));
const anyNumbers = fc.oneof(
  ascending,
  fc.array(fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constant(Number.NaN)), { maxLength: 20 }),
);

function expected(values: readonly number[]): Span {
  const numbers = values.filter((value) => !Number.isNaN(value));
  return {
    least: Math.min(...numbers),
    most: Math.max(...numbers),
    ascending: values.every((value, index) => value > (values[index - 1] ?? -Infinity)),
  };
}

test('the span of numbers is what it is of each pair of them, NaN being none', () => {
  fc.assert(
    fc.property(anyNumbers, (values) => {
      expect(spanOf(Float64Array.from(values))).toEqual(expected(values));
    }),
  );
});

test('the span of numbers is that of their parts', () => {
  fc.assert(
    fc.property(anyNumbers, fc.nat({ max: 20 }), (values, cut) => {
      const parts = [values.slice(0, cut), values.slice(cut)];
      const spans = parts.map((part) => spanOf(Float64Array.from(part)));
      expect(spans.reduce(spanOfBoth, NOWHERE)).toEqual(expected(values));
    }),
  );
});
