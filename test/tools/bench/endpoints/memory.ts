import type { Config } from '../../../../src/config/config.ts';
import { spread, time } from '../timing.ts';
import { ask } from './compare.ts';
import { runCount, type Sent } from './load.ts';
import { FEW, manyMappings, MANY } from './many-tables.ts';
import type { Side } from './process.ts';
import { startGatewaySide, type GatewayOptions } from './sides.ts';
import { figure } from './statistics.ts';

/** A row of the table: what was done, and what it came to. */
export type GrowthRow = readonly [what: string, figures: string];

const CONNECTIONS = 8;
const TURNS = 3;

/** How long a gateway takes from its start to its first answer, and its memory then. */
async function started(
  folder: string,
  database: Config['database'],
  options: GatewayOptions,
): Promise<{ readonly milliseconds: number; readonly memory: number }> {
  let side: Side | undefined;
  const milliseconds = await time(async () => {
    side = await startGatewaySide(folder, database, options);
    await ask(side.port, { path: '/rest/T1(1)' });
  });
  const memory = (await side?.usage())?.memory ?? Number.NaN;
  await side?.stop();
  return { milliseconds, memory: memory / 1e6 };
}

/** What a start takes with few and with many tables mapped, in turns, on a database that has been read before. */
export async function measureStarts(
  folder: string,
  database: Config['database'],
): Promise<GrowthRow[]> {
  const sides = [FEW, MANY].map((tables) => ({
    tables,
    options: { name: `start-${tables}`, files: manyMappings(tables) },
    times: [] as number[],
    memories: [] as number[],
  }));
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const { options, times, memories } of sides) {
      const { milliseconds, memory } = await started(folder, database, options);
      times.push(milliseconds);
      memories.push(memory);
    }
  }
  return sides.map(({ tables, times, memories }) => [
    `start to first answer, ${tables} tables mapped besides`,
    `${spread(times, 0)} ms, then ${spread(memories, 0)} MB`,
  ]);
}

/** Sends requests of as many shapes: each time other columns, and another comparison. @returns the memory before, in the middle and after: what grew without bound would be seen between the last two */
export async function measureShapes(side: Side, count: number): Promise<GrowthRow> {
  const before = (await side.usage()).memory / 1e6;
  const column = (index: number): string => `c${String(1 + (index % 38)).padStart(2, '0')}`;
  let sent = 0;
  const next = (): Sent => {
    const shape = sent++;
    const [a, b, c] = [shape, Math.floor(shape / 38), Math.floor(shape / 1444)].map(column);
    const size = Math.floor(shape / 54_872);
    const filter = encodeURIComponent(`"id = :1${' OR id = :1'.repeat(size)}"`);
    return {
      path: `/rest/Wide?$attributes=${a},${b},${c}&$filter=${filter}&$params=[${1 + (shape % 20_000)}]&$top=1`,
    };
  };
  const half = Math.ceil(count / 2);
  await runCount(side.port, CONNECTIONS, half, next);
  const middle = (await side.usage()).memory / 1e6;
  await runCount(side.port, CONNECTIONS, count - half, next);
  const { memory, heap } = await side.usage();
  return [
    `memory after ${count.toLocaleString('en-US')} shapes of requests`,
    `${figure(before)} MB before, ${figure(middle)} MB after half of them, ${figure(memory / 1e6)} MB after all, ${figure(heap / 1e6)} MB of it JavaScript's heap`,
  ];
}
