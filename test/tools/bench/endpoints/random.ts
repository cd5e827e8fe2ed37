/** A generator of whole numbers that gives the same ones for the same seed: both sides of a ratio are asked the same. */
export interface Random {
  /** A whole number from 0 to below `most`. */
  readonly below: (most: number) => number;
}

/** Mulberry32: short, fast, and even enough to choose keys by. @param seed any whole number */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return {
    below: (most) => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * most);
    },
  };
}
