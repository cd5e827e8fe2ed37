import type { Chance } from '../../../../fixtures/legacy/random.ts';
import type { Sent } from '../load.ts';
import type { Side } from '../process.ts';

/** Whom requests are made for: the gateway, and the handlers written by hand. */
export type Audience = 'gateway' | 'byHand';

/** How many connections there are at most: what each of them changes belongs to it alone. */
export const CONNECTIONS = 64;

/** What is measured: a kind of request whose keys, pages and values vary. */
export interface Case {
  readonly name: string;
  /** Whether the gateway with roles is asked, which lets in by API keys. */
  readonly byRole?: boolean;
  /** What differs between two answers of the same request, such as the version of what both sides change in turn. */
  readonly varies?: RegExp | undefined;
  /** Whether what each connection changes belongs to it alone, and in the order in which it is made. */
  readonly isOrdered?: boolean;
  /** How many connections it is measured at, where more would wait for minutes. */
  readonly atMost?: number | undefined;
  /** Makes what the requests need, once, before all others. */
  readonly prepare?: ((sides: Readonly<Record<Audience, Side>>) => Promise<void>) | undefined;
  /**
   * Makes a request, which is sent: what it changes counts from then on. Numbers are drawn alike for every audience.
   * @param connection the index of the connection that sends it
   */
  readonly next: (random: Chance, connection: number, audience: Audience) => Sent;
}
