import type { Config } from '../../../../src/config/config.ts';
import { allCases } from './cases/all.ts';
import { CONNECTIONS, type Audience, type Case } from './cases/case.ts';
import { compareSides } from './compare.ts';
import type { Sent } from './load.ts';
import { alternate, warmUp, type Asking, type Turns } from './measure.ts';
import type { Side } from './process.ts';
import { seeded } from './random.ts';
import type { Result } from './report.ts';
import { roleSettings } from './roles.ts';
import { startByHand, startGatewaySide } from './sides.ts';

/** What of the cases is measured, and how. */
export interface Plan extends Turns {
  /** What the names of the cases hold: one of these. */
  readonly only: readonly string[];
  /** How long a side is warmed up, where it is not as long as usual. */
  readonly warmSeconds?: number;
  readonly connections: readonly number[];
}

/** Another gateway, in a process of its own. */
export interface Peer {
  readonly audience: Audience;
  readonly side: Side;
}

/** The requests of a round, made for one side. @throws Error where it has none */
export function requests(measured: Case, audience: Audience): Asking['requests'] {
  return (seed) => {
    const random = seeded(seed);
    return (connection): Sent => {
      const sent = measured.next(random, connection, audience);
      if (sent === undefined) throw new Error(`${measured.name}: nothing for ${audience}`);
      return sent;
    };
  };
}

/**
 * Runs the cases on one database. @param startPeers starts other gateways in front of it
 * @param told is called with each result as it is there
 */
export async function runCases(
  folder: string,
  database: Config['database'],
  { only, connections, warmSeconds, ...turns }: Plan,
  startPeers: () => Promise<readonly Peer[]>,
  told: (result: Result) => void,
): Promise<void> {
  const started: Side[] = [];
  const start = async (side: Promise<Side>): Promise<Side> => {
    started.push(await side);
    return side;
  };
  try {
    const gateway = await start(startGatewaySide(folder, database));
    const withRoles = { name: 'gateway-with-roles', settings: roleSettings() };
    const roleGateway = await start(startGatewaySide(folder, database, withRoles));
    const byHand = await start(startByHand(folder, database));
    const peers = await startPeers();
    started.push(...peers.map(({ side }) => side));
    const chosen = allCases(database.engine !== 'pglite').filter(({ name }) =>
      only.some((part) => name.includes(part)),
    );
    for (const measured of chosen) {
      const ours = measured.byRole === true ? roleGateway : gateway;
      await measured.prepare?.({ gateway: ours, byHand });
      await compareSides(measured, ours, byHand);
      // What is prepared, or asked for by a role, only our gateway has.
      const isOurs = measured.prepare !== undefined || measured.byRole === true;
      const able = peers.filter(({ audience }) =>
        audience === 'gateway' ? !isOurs : measured.next(seeded(0), 0, audience) !== undefined,
      );
      const others: readonly Peer[] = [{ audience: 'byHand', side: byHand }, ...able];
      const { atMost = CONNECTIONS } = measured;
      const asking = [{ audience: 'gateway' as const, side: ours }, ...others].map(
        ({ audience, side }) => ({
          side,
          requests: requests(measured, audience),
          isOrdered: measured.isOrdered === true,
        }),
      );
      await warmUp(asking, warmSeconds);
      for (const count of connections.filter((one) => one <= atMost)) {
        const [figures = [], ...rest] = await alternate(asking, count, turns);
        others.forEach(({ side }, index) => {
          told({
            name: measured.name,
            beside: side.name,
            connections: count,
            gateway: figures,
            other: rest[index] ?? [],
          });
        });
      }
    }
  } finally {
    for (const side of started) await side.stop();
  }
}
