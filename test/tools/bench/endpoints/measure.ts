import { openClient, runRound, type Client, type Sent } from './load.ts';
import type { Side, Usage } from './process.ts';

/** One side's figures of one round. */
export interface Figures extends Usage {
  readonly perSecond: number;
  /** Of each request until its last and its first byte, in milliseconds. */
  readonly latencies: readonly number[];
  readonly firsts: readonly number[];
  /** Milliseconds of the processor. */
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
    for (const { side, requests, figures } of order) {
      const measured = await oneRound(side, connections, seconds, requests(round));
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
export async function warmUp(asking: readonly Asking[]): Promise<void> {
  for (const { side, requests } of asking) {
    await oneRound(side, WARM_CONNECTIONS, WARM_SECONDS, requests(0));
  }
}

/** A round on connections of its own, made before: some servers close those that have nothing to do for some seconds. */
async function oneRound(
  side: Side,
  connections: number,
  seconds: number,
  next: (connection: number) => Sent,
): Promise<Figures> {
  const clients: Client[] = [];
  const failed = new Promise<never>((_, reject) => {
    for (let index = 0; index < connections; index += 1) {
      clients.push(openClient(side.port, reject));
    }
  });
  const measured = async (): Promise<Figures> => {
    await Promise.all(clients.map(({ connected }) => connected));
    await side.usage();
    const { latencies, firsts, requests, seconds: took } = await runRound(clients, seconds, next);
    const usage = await side.usage();
    const cpuPerRequest = usage.cpuMilliseconds / requests;
    return { ...usage, perSecond: requests / took, latencies, firsts, cpuPerRequest };
  };
  try {
    return await Promise.race([measured(), failed]);
  } finally {
    for (const client of clients) client.close();
  }
}
