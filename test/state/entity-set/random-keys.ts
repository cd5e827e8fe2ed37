import fc from 'fast-check';
import type { Key, KeyList } from '../../../src/state/entity-set/keys.ts';
import { listOf } from './lists.ts';

/** Any text that JavaScript can hold, halves of surrogate pairs among it. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
  .map((units) => String.fromCharCode(...units));

const text = fc.oneof(
  anyText,
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom(
    ...['', '0', '-0', '00', '-', '+1', '1e3', ' 1', '"', '\\', '][', '","', '\uD800', 'é', '🎈'],
  ),
  fc.uuid(),
);

const integer = fc
  .oneof(
    fc.bigInt({ min: -20n, max: 20n }),
    fc.bigInt({ min: -(2n ** 31n) - 2n, max: 2n ** 31n + 2n }),
    fc.bigInt({ min: -(2n ** 53n) - 2n, max: 2n ** 53n + 2n }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constantFrom(0n, 2n ** 31n, -(2n ** 31n), 2n ** 53n, -(2n ** 53n), 2n ** 32n),
  )
  .map(String);

/** Different keys of every kind. */
export const keys: fc.Arbitrary<readonly Key[]> = fc.oneof(
  unique(integer.map((part) => [part])),
  unique(fc.oneof(integer, text).map((part) => [part])),
  unique(fc.array(fc.oneof(integer, text), { maxLength: 3 })),
);

/** Two lists with some keys in common. */
export const twoLists: fc.Arbitrary<readonly [KeyList, KeyList]> = keys.chain((all) => {
  const someOf = fc.shuffledSubarray([...all]).map(listOf);
  return fc.tuple(someOf, someOf);
});

/** Two lists of many chunks; numbers close together or far apart, ascending or not, and some of them past 2^53. */
export const twoLongLists: fc.Arbitrary<readonly [KeyList, KeyList]> = fc
  .record({
    unit: fc.constantFrom(1n, 3n, 100_003n, 2n ** 33n),
    least: fc.constantFrom(0n, -40_000n, 2n ** 31n),
  })
  .chain((scale) => fc.tuple(longList(scale), longList(scale)));

function longList({ unit, least }: { unit: bigint; least: bigint }): fc.Arbitrary<KeyList> {
  return fc
    .record({
      size: fc.integer({ min: 0, max: 36_000 }),
      step: fc.constantFrom(1, 2, 7919),
      first: fc.nat({ max: MODULUS - 1 }),
      large: fc.constantFrom(0, 0, 0, 5, 20_000),
    })
    .map(({ size, step, first, large }) =>
      listOf(
        Array.from({ length: size }, (_, index) => {
          const value = BigInt((first + index * step) % MODULUS) * unit + least;
          return [String(large > 0 && index % large === large - 1 ? value + 2n ** 60n : value)];
        }),
      ),
    );
}

/** A prime, so that no step leads to the same number twice. */
const MODULUS = 60_013;

function unique(key: fc.Arbitrary<Key>): fc.Arbitrary<readonly Key[]> {
  return fc.uniqueArray(key, { maxLength: 40, selector: (parts) => JSON.stringify(parts) });
}
