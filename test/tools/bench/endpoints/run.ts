import { resolve } from 'node:path';
import type { Config } from '../../../../src/config/config.ts';
import { testFolder } from '../../../config/files.ts';
import { chance } from '../../../fixtures/legacy/random.ts';
import build from '../../../targets/build.ts';
import { POSTGRES_URL, serverUrl, SQLSERVER_URL } from '../../../targets/server.ts';
import { CONNECTIONS, type Audience } from './cases/case.ts';
import { readCases } from './cases/reads.ts';
import { writeCases } from './cases/writes.ts';
import { compareSides } from './compare.ts';
import { openData } from './data.ts';
import { load, machine } from './machine.ts';
import { alternate, warmUp, type Asking, type Turns } from './measure.ts';
import type { Side } from './process.ts';
import type { Result } from './report.ts';
import { roleSettings } from './roles.ts';
import { buildByHand, startByHand, startGatewaySide } from './sides.ts';

/** What of the cases is measured, and how. */
export interface Plan extends Turns {
  /** What the names of the cases hold: one of these. */
  readonly only: readonly string[];
  /** How long a side is warmed up, where it is not as long as usual. */
  readonly warmSeconds?: number;
  readonly connections: readonly number[];
  /** The folder of another checkout, whose gateway is measured, too. */
  readonly beside: string | undefined;
}

/** A database that is measured. */
export interface Measured {
  readonly engine: string;
  readonly version: string;
  readonly database: Config['database'];
  /** For files of this run. */
  readonly folder: string;
  /** What the run was until now: it stands above its figures. */
  readonly circumstances: () => string;
}

const engines = [
  { engine: 'postgres', name: 'PostgreSQL', reached: serverUrl(POSTGRES_URL) !== undefined },
  { engine: 'sqlserver', name: 'SQL Server', reached: serverUrl(SQLSERVER_URL) !== undefined },
  { engine: 'pglite', name: 'PGlite', reached: true },
] as const;

/** Builds what is measured, and does something with the data on each of the engines that are named, and reached. */
export async function onEngines(
  names: string,
  { rounds, seconds }: Turns,
  work: (measured: Measured) => Promise<void>,
): Promise<void> {
  build();
  buildByHand();
  for (const { engine, name, reached } of engines) {
    if (!names.split(',').includes(engine)) continue;
    if (!reached) {
      console.log(`${name}: not reached`);
      continue;
    }
    const { path: folder, remove } = await testFolder();
    const { version, database, close } = await openData(engine, folder);
    const before = load();
    const circumstances = (): string =>
      `${version}, ${machine()}; ${rounds} rounds of ${seconds} s, in turns; load ${before} to ${load()}.`;
    try {
      await work({ engine: name, version, database, folder, circumstances });
    } finally {
      await close();
      await remove();
    }
  }
}

/** Runs the cases on one database. @param told is called with each result as it is there */
export async function runCases(
  { folder, database }: Measured,
  { only, connections, warmSeconds, beside, ...turns }: Plan,
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
    const checkouts: Side[] = [];
    if (beside !== undefined) {
      const program = resolve(beside, 'dist/main.js');
      const other = { name: 'the other checkout', program };
      checkouts.push(await start(startGatewaySide(folder, database, other)));
    }
    // Those that change the database come last.
    const cases = [...readCases(), ...writeCases(database.engine !== 'pglite')];
    const chosen = cases.filter(({ name }) => only.some((part) => name.includes(part)));
    for (const measured of chosen) {
      const { name, prepare, byRole = false, isOrdered = false, atMost = CONNECTIONS } = measured;
      const ours = byRole ? roleGateway : gateway;
      await prepare?.({ gateway: ours, byHand });
      await compareSides(measured, ours, byHand);
      // What is prepared, or asked for by a role, the other checkout does not have.
      const others = [byHand, ...(prepare === undefined && !byRole ? checkouts : [])];
      const asking = [ours, ...others].map((side): Asking => {
        const audience: Audience = side === byHand ? 'byHand' : 'gateway';
        const requests: Asking['requests'] = (seed) => {
          const random = chance(seed);
          return (connection) => measured.next(random, connection, audience);
        };
        return { side, isOrdered, requests };
      });
      await warmUp(asking, warmSeconds);
      for (const count of connections.filter((one) => one <= atMost)) {
        const [figures = [], ...rest] = await alternate(asking, count, turns);
        others.forEach((side, index) => {
          const result = { name, beside: side.name, connections: count, gateway: figures };
          told({ ...result, other: rest[index] ?? [] });
        });
      }
    }
  } finally {
    for (const side of started) await side.stop();
  }
}
