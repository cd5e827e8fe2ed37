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
  const open: Client[] = [];
  let broken: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (broken = reject));
  const sides = asking.map((one) => {
    const clients = Array.from({ length: connections }, () =>
      openClient(one.side.port, (error) => {
        broken(error);
      }),
    );
    open.push(...clients);
    return { ...one, clients, figures: [] as Figures[] };
  });
  const turns = async (): Promise<void> => {
    for (let round = 0; round <= rounds; round += 1) {
      const order = round % 2 === 0 ? sides : sides.toReversed();
      for (const { side, requests, clients, figures } of order) {
        await side.usage();
        const run = await runRound(clients, seconds, requests(round));
        const usage = await side.usage();
        if (round === 0) continue;
        const { latencies, firsts } = run;
        const perSecond = run.requests / run.seconds;
        const cpuPerRequest = usage.cpuMilliseconds / run.requests;
        figures.push({ ...usage, perSecond, latencies, firsts, cpuPerRequest });
      }
    }
  };
  try {
    await Promise.race([turns(), failed]);
  } finally {
    for (const client of open) client.close();
  }
  return sides.map(({ figures }) => figures);
}
