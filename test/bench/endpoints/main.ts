/**
 * `npm run bench:endpoints -- [--engine postgres] [--only text] [--connections 1,8,64] [--rounds 7] [--seconds 1.5]`: requests through a gateway in a process of
 * its own, beside handlers written by hand in another one, which answer the same bytes from the same database. The two take turns.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import build from '../../targets/build.ts';
import { cases } from './cases.ts';
import { compareSides } from './compare.ts';
import { openData } from './data.ts';
import { alternate, bySeed } from './measure.ts';
import { shownResults, type Result } from './report.ts';
import { buildByHand, startByHand, startGatewaySide } from './sides.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    connections: { type: 'string', default: '1,8,64' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1.5' },
  },
});
const turns = { rounds: Number(values.rounds), seconds: Number(values.seconds) };

build();
buildByHand();
const folder = await mkdtemp(join(tmpdir(), 'entitygate-bench-'));
const opened = await openData('postgres');
const gateway = await startGatewaySide(folder, opened.database);
const byHand = await startByHand(folder, opened.database);
try {
  const results: Result[] = [];
  for (const measured of cases.filter(({ name }) => name.includes(values.only))) {
    await compareSides(measured, gateway, byHand);
    for (const connections of values.connections.split(',').map(Number)) {
      const [ours = [], theirs = []] = await alternate(
        [
          { side: gateway, requests: bySeed((random, on) => measured.next(random, on).gateway) },
          { side: byHand, requests: bySeed((random, on) => measured.next(random, on).byHand) },
        ],
        connections,
        turns,
      );
      const result = { name: measured.name, connections, gateway: ours, other: theirs };
      results.push(result);
      console.log(shownResults([result]).split('\n').at(-1));
    }
  }
  console.log(shownResults(results));
} finally {
  await gateway.stop();
  await byHand.stop();
  await opened.close();
  await rm(folder, { recursive: true });
}
