/**
 * `npm run bench:endpoints -- [--engine postgres] [--only text] [--connections 1,8,64] [--rounds 7] [--seconds 1.5]`: requests through a gateway in a process of
 * its own, beside handlers written by hand in another one, which answer the same bytes from the same database. The two take turns.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import build from '../../targets/build.ts';
import { POSTGRES_URL, serverUrl, SQLSERVER_URL } from '../../targets/server.ts';
import { openData, type Engine } from './data.ts';
import { startPeers } from './peers.ts';
import { shownResult, shownResults, type Result } from './report.ts';
import { runCases } from './run.ts';
import { buildByHand } from './sides.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'postgres,sqlserver,pglite' },
    only: { type: 'string', default: '' },
    connections: { type: 'string', default: '1,8,64' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1.5' },
    peers: { type: 'boolean', default: false },
  },
});
const plan = {
  only: values.only.split(','),
  connections: values.connections.split(',').map(Number),
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
};

/** Whether there is a server of an engine. */
const reached: Readonly<Record<Engine, boolean>> = {
  postgres: serverUrl(POSTGRES_URL) !== undefined,
  sqlserver: serverUrl(SQLSERVER_URL) !== undefined,
  pglite: true,
};

build();
buildByHand();
for (const engine of ['postgres', 'sqlserver', 'pglite'] as const) {
  if (!values.engine.split(',').includes(engine)) continue;
  if (!reached[engine]) {
    console.log(`${engine}: not reached`);
    continue;
  }
  const folder = await mkdtemp(join(tmpdir(), 'entitygate-bench-'));
  const opened = await openData(engine, folder);
  try {
    const results: Result[] = [];
    await runCases(
      folder,
      opened.database,
      plan,
      () => (values.peers ? startPeers(opened.database) : Promise.resolve([])),
      (result) => {
        results.push(result);
        console.log(shownResult(result).join(' | '));
      },
    );
    console.log(`\n${engine}\n\n${shownResults(results)}\n`);
  } finally {
    await opened.close();
    await rm(folder, { recursive: true });
  }
}
