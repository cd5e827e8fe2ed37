/**
 * `npm run bench:observe -- [--engine postgres] [--only 'entity by key'] [--connections 8] [--rounds 15] [--seconds 1.5]`: how much metrics, traces and
 * the log of slow requests cost; traces without an SDK, and with one that samples all requests, or a tenth of them. The same program runs with and without them, in turns; a second one without
 * them shows what is noise.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import build from '../../targets/build.ts';
import { allCases } from './endpoints/cases/all.ts';
import { openData, type Engine } from './endpoints/data.ts';
import { load, machine } from './endpoints/machine.ts';
import { alternate, type Figures, warmUp } from './endpoints/measure.ts';
import type { Side } from './endpoints/process.ts';
import { requests } from './endpoints/run.ts';
import { type GatewayOptions, startGatewaySide } from './endpoints/sides.ts';
import { figure } from './endpoints/statistics.ts';
import { table } from './endpoints/table.ts';
import { median, spread } from './timing.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'postgres' },
    only: { type: 'string', default: 'entity by key' },
    connections: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '1.5' },
  },
});
const turns = { rounds: Number(values.rounds), seconds: Number(values.seconds) };

const metrics = { metrics: { port: 0 } };
/** An SDK whose exporter drops the spans. */
const sdk = {
  preload: pathToFileURL(resolve('test/tools/bench/endpoints/tracing.js')).href,
  settings: { traces: true },
};
const observed: Readonly<Record<string, GatewayOptions>> = {
  nothing: {},
  'nothing, again': {},
  metrics: { settings: metrics },
  'metrics, traces without an SDK, slow requests': {
    settings: { ...metrics, traces: true, log: { slowRequestMs: 1000 } },
  },
  'traces of all requests': sdk,
  'traces of 10 % of the requests': {
    ...sdk,
    env: { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' },
  },
};

/** The ratios of two sides, round by round. */
function ratios(
  of: (round: Figures) => number,
  figures: readonly Figures[],
  plain: readonly Figures[],
): string {
  return spread(
    figures.map((round, index) => {
      const other = plain[index];
      return of(round) / (other === undefined ? Number.NaN : of(other));
    }),
    3,
  );
}

build();
const engine = values.engine as Engine;
const folder = await mkdtemp(join(tmpdir(), 'entitygate-bench-'));
const { version, database, close } = await openData(engine, folder);
const sides: Side[] = [];
try {
  const before = load();
  for (const [index, options] of Object.values(observed).entries()) {
    sides.push(await startGatewaySide(folder, database, { name: `gateway-${index}`, ...options }));
  }
  const rows: string[][] = [];
  for (const measured of allCases(engine !== 'pglite')) {
    if (!measured.name.includes(values.only)) continue;
    const asking = sides.map((side) => ({ side, requests: requests(measured, 'gateway') }));
    await warmUp(asking);
    const all = await alternate(asking, Number(values.connections), turns);
    const [plain = []] = all;
    for (const [index, name] of Object.keys(observed).entries()) {
      const figures = all[index] ?? [];
      rows.push([
        ...[measured.name, name],
        figure(median(figures.map(({ perSecond }) => perSecond))),
        ratios(({ perSecond }) => perSecond, figures, plain),
        figure(median(figures.map(({ cpuPerRequest }) => cpuPerRequest * 1000))),
        ratios(({ cpuPerRequest }) => cpuPerRequest, figures, plain),
      ]);
    }
  }
  console.log(
    `${version}, ${machine()}; ${turns.rounds} rounds of ${turns.seconds} s of each side by ${values.connections} connections, in turns. ` +
      `The load of the machine was ${before} at the beginning and ${load()} at the end.\n`,
  );
  const head = ['request', 'observed by', 'requests/s', 'ratio', 'CPU, µs a request', 'ratio'];
  console.log(table(head, rows));
} finally {
  for (const side of sides) await side.stop();
  await close();
  await rm(folder, { recursive: true });
}
