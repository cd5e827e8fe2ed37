import { Client } from 'undici';
import { send, type Sent } from './load.ts';
import { percentile } from './figures.ts';
import type { Side } from './process.ts';
import { HAS_WRK, runByWrk } from './wrk.ts';

/** What a client has seen of one round. */
export interface Load {
  readonly requests: number;
  readonly seconds: number;
  /** Half of the requests, and 99 of 100, took no longer until their last byte, in milliseconds. */
  readonly median: number;
  readonly p99: number;
}

/** One side's figures of one round. */
export interface Figures extends Pick<Load, 'median' | 'p99'> {
  readonly perSecond: number;
  /** Milliseconds of the processor, of the serving process alone: what its neighbours do hardly changes it. */
  readonly cpuPerRequest: number;
}

export interface Turns {
  /** How many rounds each side has that count. */
  readonly rounds: number;
  /** How long a round is. */
  readonly seconds: number;
}

/** A side with what it is asked. */
export interface Asking {
  readonly side: Side;
  /** Makes the generator of requests of one round, which are the same for the same seed. */
  readonly requests: (seed: number) => (connection: number) => Sent;
  /** Whether each connection sends what belongs to it, in this order: only a client of our own does. */
  readonly isOrdered?: boolean;
}

/**
 * Lets sides take turns, A B B A …, after a round of each that does not count.
 * @returns the figures of each side, round by round
 */
export async function alternate(
  asking: readonly Asking[],
  connections: number,
  { rounds, seconds }: Turns,
): Promise<readonly (readonly Figures[])[]> {
  const sides = asking.map((one) => ({ ...one, figures: [] as Figures[] }));
  for (let round = 0; round <= rounds; round += 1) {
    const order = round % 2 === 0 ? sides : sides.toReversed();
    for (const { figures, ...one } of order) {
      const measured = await oneRound(one, connections, seconds, round);
      if (round > 0) figures.push(measured);
    }
  }
  return sides.map(({ figures }) => figures);
}

/** How many connections a side is warmed up by, and for how long, in seconds. */
const WARM_CONNECTIONS = 8;
const WARM_SECONDS = 3;

/**
 * Asks all sides until V8 has compiled what they run, as it has in a process that serves for longer than a minute: at one connection that would take
 * most of the rounds, in which what has more code would be measured by it.
 */
export async function warmUp(asking: readonly Asking[], seconds = WARM_SECONDS): Promise<void> {
  for (const one of asking) await oneRound(one, WARM_CONNECTIONS, seconds, 0);
}

async function oneRound(
  { side, requests, isOrdered = false }: Asking,
  connections: number,
  seconds: number,
  seed: number,
): Promise<Figures> {
  const run = HAS_WRK && !isOrdered ? runByWrk : runByOwnClient;
  const load = await run(side.port, connections, seconds, requests(seed), side.cpuMilliseconds);
  const cpuPerRequest = (await side.cpuMilliseconds()) / load.requests;
  return { ...load, perSecond: load.requests / load.seconds, cpuPerRequest };
}

/** A round on connections of its own: some servers close those that have nothing to do for some seconds. @throws Error for an answer that is not 200 */
async function runByOwnClient(
  port: number,
  connections: number,
  seconds: number,
  next: (connection: number) => Sent,
  begins: () => Promise<unknown>,
): Promise<Load> {
  const clients = Array.from({ length: connections }, () => new Client(`http://127.0.0.1:${port}`));
  const latencies: number[] = [];
  await begins();
  const start = performance.now();
  const end = start + seconds * 1000;
  const keepBusy = async (client: Client, index: number): Promise<void> => {
    do {
      const sent = next(index);
      const { status, took } = await send(client, sent, false);
      if (status !== 200) throw new Error(`status ${status} to ${sent.path}`);
      latencies.push(took);
    } while (performance.now() < end);
  };
  try {
    await Promise.all(clients.map(keepBusy));
    return {
      requests: latencies.length,
      seconds: (performance.now() - start) / 1000,
      median: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
    };
  } finally {
    for (const client of clients) await client.destroy();
  }
}
