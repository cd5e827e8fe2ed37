/**
 * `npm run bench:cost -- [--engine postgres,sqlserver] [--connections 8] [--rounds 2] [--seconds 1] [--beside FOLDER]`: what requests cost the serving
 * process, in microseconds of the processor, beside handlers written by hand, and what each optional feature adds to a read by key. The sides take turns; the
 * same gateway started twice shows what is noise. `--beside` adds the gateway of another checkout, which is built there.
 */
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { apiKeyHash, makeApiKey } from '../../../src/access/auth/api-keys.ts';
import type { Config } from '../../../src/config/config.ts';
import { chance } from '../../fixtures/legacy/random.ts';
import { figure, median, spread } from './endpoints/figures.ts';
import { alternate, type Asking, type Figures, warmUp } from './endpoints/measure.ts';
import type { Side } from './endpoints/process.ts';
import type { Result } from './endpoints/report.ts';
import { onEngines, runCases } from './endpoints/run.ts';
import { type GatewayOptions, startGatewaySide } from './endpoints/sides.ts';
import { table } from './endpoints/table.ts';
import { HAS_WRK } from './endpoints/wrk.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'postgres' },
    connections: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '1' },
    beside: { type: 'string' },
  },
});
const turns = { rounds: Number(values.rounds), seconds: Number(values.seconds), warmSeconds: 1 };

/** The kinds of requests. */
const KINDS = [
  'entity by key',
  'filter with 10 rows',
  'page of 100, narrow',
  'page of 100, hash stamp',
  'page of 100, expand to one',
  'page of 100, expand to many',
  'page of 100 of an entity set',
  'update of one with its stamp',
  'insert of 1,000',
  'update of 1,000',
];

const adminKey = makeApiKey();

/** Features, and what turns each on. */
const features = (
  folder: string,
  database: Config['database'],
): Readonly<Record<string, GatewayOptions>> => ({
  nothing: {},
  'nothing, again': {},
  'no compression': { settings: { server: { port: 0, compression: false } } },
  metrics: { settings: { metrics: { port: 0 } } },
  'metrics, traces without an SDK, slow requests': {
    settings: { metrics: { port: 0 }, traces: true, log: { slowRequestMs: 1000 } },
  },
  'traces of all requests by an SDK': {
    preload: pathToFileURL(resolve('test/tools/bench/endpoints/tracing.js')).href,
    settings: { traces: true },
  },
  'audit log without values': { settings: { audit: { to: join(folder, 'audit.log') } } },
  'agents (MCP)': { settings: { mcp: { enabled: true } } },
  'the user told to the database': {
    settings: { database: { ...database, poolSize: 8, tellUser: true } },
  },
  'other origins (CORS)': { settings: { cors: { origins: ['https://app.example.com'] } } },
  'keys and roles, by an administrator': {
    settings: {
      authentication: {
        apiKeys: [{ name: 'admin', hash: `sha256:${apiKeyHash(adminKey)}`, roles: ['admin'] }],
      },
      roles: { clerk: { dataclasses: { '*': { read: true } } } },
    },
  },
});

/** The ratios of two sides, round by round. */
function ratios(
  of: (round: Figures) => number,
  figures: readonly Figures[],
  others: readonly Figures[],
): string {
  const each = figures.map((round, index) => {
    const other = others[index];
    return of(round) / (other === undefined ? Number.NaN : of(other));
  });
  return spread(each, 2);
}

const microseconds = (figures: readonly Figures[]): string =>
  figure(median(figures.map(({ cpuPerRequest }) => cpuPerRequest * 1000)));

/** The rows of a result: processor time and requests per second, ours beside others'. */
function shown({ name, beside, connections, gateway, other }: Result): string[] {
  return [
    ...[name, beside, String(connections), microseconds(gateway), microseconds(other)],
    ratios(({ cpuPerRequest }) => cpuPerRequest, gateway, other),
    ratios(({ perSecond }) => perSecond, gateway, other),
  ];
}

/** What the features add to a read by key. */
async function measureFeatures(folder: string, database: Config['database']): Promise<string[][]> {
  const sides: Side[] = [];
  try {
    const options = Object.entries(features(folder, database));
    for (const [index, [, one]] of options.entries()) {
      sides.push(await startGatewaySide(folder, database, { name: `feature-${index}`, ...one }));
    }
    const asking = sides.map((side, index): Asking => {
      const isKeyed = options[index]?.[0].startsWith('keys') === true;
      return {
        side,
        requests: (seed) => {
          const random = chance(seed);
          return () => ({
            path: `/rest/Employee(${random.int(1, 20_000)})`,
            headers: isKeyed ? { 'api-key': adminKey } : {},
          });
        },
      };
    });
    await warmUp(asking, turns.warmSeconds);
    const all = await alternate(asking, 8, { ...turns, rounds: turns.rounds + 1 });
    const [plain = []] = all;
    return options.map(([name], index) => {
      const figures = all[index] ?? [];
      return [
        name,
        microseconds(figures),
        ratios(({ cpuPerRequest }) => cpuPerRequest, figures, plain),
      ];
    });
  } finally {
    for (const side of sides) await side.stop();
  }
}

await onEngines(values.engine, turns, async (measured) => {
  const rows: string[][] = [];
  const connections = values.connections.split(',').map(Number);
  const plan = { ...turns, only: KINDS, connections, beside: values.beside };
  await runCases(measured, plan, (result) => rows.push(shown(result)));
  const added = await measureFeatures(measured.folder, measured.database);
  const client = HAS_WRK ? 'Reads by wrk' : 'wrk is not installed: reads by a client in Node.js';
  console.log(`\n${measured.circumstances()} ${client}.\n`);
  const head = ['request', 'beside', 'connections', 'CPU, µs', 'theirs', 'ratio', 'requests/s'];
  console.log(table(head, rows));
  console.log(`\n${table(['entity by key, with', 'CPU, µs', 'ratio'], added)}\n`);
});
