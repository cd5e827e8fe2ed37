/**
 * `npm run bench -- [--engine postgres,sqlserver,pglite] [--only text,…] [--connections 1,8,64] [--rounds 7] [--seconds 1.5] [--peers] [--growth]
 * [--shapes 200000] [--write]`: requests through a gateway in a process of its own, beside handlers written by hand in another one, which answer the same
 * bytes from the same database, and beside other gateways. They take turns. `--beside FOLDER` adds the gateway of another checkout, which is built there. `--growth` measures besides, or `--only none` alone, how cost grows. `--write` puts the tables into
 * docs/reference/performance.md.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import build from '../../../targets/build.ts';
import { POSTGRES_URL, serverUrl, SQLSERVER_URL } from '../../../targets/server.ts';
import { openData, type Engine } from './data.ts';
import { withSection } from './document.ts';
import { measureGrowth } from './growth.ts';
import { load, machine } from './machine.ts';
import { startPeers } from './peers.ts';
import { shownResult, shownResults, type Result } from './report.ts';
import { runCases } from './run.ts';
import { buildByHand, startGatewaySide } from './sides.ts';
import type { Peer } from './run.ts';
import type { Config } from '../../../../src/config/config.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'postgres,sqlserver,pglite' },
    only: { type: 'string', default: '' },
    connections: { type: 'string', default: '1,8,64' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1.5' },
    peers: { type: 'boolean', default: false },
    beside: { type: 'string' },
    growth: { type: 'boolean', default: false },
    shapes: { type: 'string', default: '200000' },
    write: { type: 'boolean', default: false },
  },
});
const plan = {
  only: values.only.split(','),
  connections: values.connections.split(',').map(Number),
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
};

const engines: Readonly<Record<Engine, { name: string; reached: boolean }>> = {
  postgres: { name: 'PostgreSQL', reached: serverUrl(POSTGRES_URL) !== undefined },
  sqlserver: { name: 'SQL Server', reached: serverUrl(SQLSERVER_URL) !== undefined },
  pglite: { name: 'PGlite', reached: true },
};

/** Prints a section, and writes it where that is asked for. */
async function tell(heading: string, text: string): Promise<void> {
  console.log(`\n${heading}\n\n${text}\n`);
  if (!values.write) return;
  const document = await readFile('docs/reference/performance.md', 'utf8');
  await writeFile('docs/reference/performance.md', withSection(document, heading, text));
}

/** Starts the gateway of another checkout. */
async function startBeside(
  folder: string,
  database: Config['database'],
  checkout: string,
): Promise<Peer> {
  const program = resolve(checkout, 'dist/main.js');
  const side = await startGatewaySide(folder, database, { name: 'the other checkout', program });
  return { audience: 'gateway', side };
}

/** What a run was: it stands above its figures. */
function circumstances(version: string, before: string): string {
  const rounds = `${plan.rounds} rounds of ${plan.seconds} s, in turns`;
  return `${version}, ${machine()}; ${rounds}; load ${before} to ${load()}.`;
}

build();
buildByHand();
for (const engine of ['postgres', 'sqlserver', 'pglite'] as const) {
  if (!values.engine.split(',').includes(engine)) continue;
  const { name, reached } = engines[engine];
  if (!reached) {
    console.log(`${name}: not reached`);
    continue;
  }
  const folder = await mkdtemp(join(tmpdir(), 'entitygate-bench-'));
  const { version, database, close } = await openData(engine, folder);
  try {
    const before = load();
    const results: Result[] = [];
    await runCases(
      folder,
      database,
      plan,
      async () => [
        ...(values.peers ? await startPeers(database) : []),
        ...(values.beside === undefined
          ? []
          : [await startBeside(folder, database, values.beside)]),
      ],
      (result) => {
        results.push(result);
        console.log(`${result.beside}: ${shownResult(result).join(' | ')}`);
      },
    );
    if (results.length > 0) {
      await tell(
        `Requests beside others, on ${version.includes('Babelfish') ? `Babelfish in place of ${name}` : name}`,
        `${circumstances(version, before)}\n\n${shownResults(results)}`,
      );
    }
    if (values.growth && engine === 'postgres') {
      const loaded = load();
      const rows = await measureGrowth(folder, database, plan, Number(values.shapes));
      await tell(
        'How the cost of requests grows',
        `${circumstances(version, loaded)} Eight connections.\n\n${table(['what', 'figures'], rows)}`,
      );
    }
  } finally {
    await close();
    await rm(folder, { recursive: true });
  }
}
