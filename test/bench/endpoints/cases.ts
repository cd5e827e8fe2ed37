import { ROWS } from './data.ts';
import type { Sent } from './load.ts';
import type { Random } from './random.ts';

/** The same request, as each side is sent it. */
export interface Asked {
  readonly gateway: Sent;
  readonly byHand: Sent;
}

/** What is measured: a kind of request whose keys, pages and values vary. */
export interface Case {
  readonly name: string;
  /** @param connection the index of the connection that sends it, below 64 */
  readonly next: (random: Random, connection: number) => Asked;
}

/** Both sides read. */
function reads(gateway: string, byHand: string): Asked {
  return { gateway: { path: `/rest/${gateway}` }, byHand: { path: `/${byHand}` } };
}

const PAGE = 100;

export const cases: readonly Case[] = [
  {
    name: 'entity by key',
    next: (random) => {
      const id = 1 + random.below(ROWS.employee);
      return reads(`Employee(${id})`, `employees/${id}`);
    },
  },
  {
    name: 'page of 100, narrow',
    next: (random) => {
      const skip = random.below(1000);
      return reads(`Employee?$skip=${skip}&$top=${PAGE}`, `employees?skip=${skip}&top=${PAGE}`);
    },
  },
  {
    name: 'page of 100, wide',
    next: (random) => {
      const skip = random.below(1000);
      return reads(`Wide?$skip=${skip}&$top=${PAGE}`, `wides?skip=${skip}&top=${PAGE}`);
    },
  },
  {
    name: 'page of 100 at 10,000',
    next: (random) => {
      const skip = 10_000 + random.below(1000);
      return reads(`Employee?$skip=${skip}&$top=${PAGE}`, `employees?skip=${skip}&top=${PAGE}`);
    },
  },
];
