import { describe, expect, it } from 'vitest';
import { PageCache, pagesToLoad } from '../../../src/explorer/collection/page-cache.ts';

describe('pagesToLoad', () => {
  it.each<[string, Parameters<typeof pagesToLoad>, readonly number[]]>([
    ['nothing of nothing', [0, 20, 0, false], []],
    ['the only page', [0, 20, 30, false], [0]],
    ['the next page, too', [0, 20, 1000, false], [0, 1]],
    ['the page before, upwards', [520, 540, 1000, true], [5, 4]],
    ['both pages on which rows are, and the next', [190, 210, 1000, false], [1, 2, 3]],
    ['no page behind the last', [990, 1020, 1000, false], [9]],
    ['no page before the first', [0, 20, 1000, true], [0]],
  ])('is %s', (_, parameters, pages) => {
    expect(pagesToLoad(...parameters)).toEqual(pages);
  });
});

/** A page that somebody waits for. */
interface Load {
  readonly skip: number;
  readonly signal: AbortSignal;
  readonly come: (rows: readonly string[]) => void;
  readonly fail: (error: Error) => void;
}

function cacheWithLoads(): { cache: PageCache<string>; loads: Load[]; changes: () => number } {
  const loads: Load[] = [];
  let changes = 0;
  const cache = new PageCache<string>(
    (skip, _top, signal) =>
      new Promise((come, fail) => {
        signal.addEventListener('abort', () => fail(new Error('aborted')));
        loads.push({ skip, signal, come, fail });
      }),
    () => (changes += 1),
  );
  return { cache, loads, changes: () => changes };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const rows = (from: number): string[] =>
  Array.from({ length: 100 }, (_, index) => `row ${from + index}`);

describe('PageCache', () => {
  const asked = (loads: readonly Load[]): readonly number[] => loads.map(({ skip }) => skip);

  it('loads the pages of shown rows, and the next one, three at a time', async () => {
    const { cache, loads, changes } = cacheWithLoads();
    cache.show(250, 270, 10_000);
    expect([asked(loads), cache.row(250)]).toEqual([[200, 300], undefined]);
    loads[0]?.come(rows(200));
    await settled();
    expect([cache.row(250), changes()]).toEqual(['row 250', 1]);
    cache.show(250, 271, 10_000);
    expect(loads).toHaveLength(2);
    cache.show(250, 650, 10_000);
    expect(asked(loads)).toEqual([200, 300, 400, 500]);
    loads[1]?.come(rows(300));
    await settled();
    expect(asked(loads)).toEqual([200, 300, 400, 500, 600]);
  });

  it('gives up what was scrolled past, and loads it when it is shown again', async () => {
    const { cache, loads } = cacheWithLoads();
    cache.show(0, 20, 10_000_000);
    cache.show(5_000_000, 5_000_020, 10_000_000);
    expect(loads.slice(0, 2).map(({ signal }) => signal.aborted)).toEqual([true, true]);
    await settled();
    cache.show(0, 20, 10_000_000);
    await settled();
    expect(asked(loads).slice(2)).toEqual([5_000_000, 5_000_100, 0, 100]);
    expect(cache.failure).toBeUndefined();
  });

  it('keeps the error of a shown page until it is tried again', async () => {
    const { cache, loads } = cacheWithLoads();
    cache.show(0, 20, 50);
    loads[0]?.fail(new Error('503'));
    await settled();
    cache.show(0, 21, 50);
    expect([cache.failure, loads.length]).toEqual([new Error('503'), 1]);
    cache.retry();
    expect([cache.failure, loads.length]).toEqual([undefined, 2]);
  });

  it('forgets the pages that were seen longest ago, and tells nothing after it was closed', async () => {
    const { cache, loads, changes } = cacheWithLoads();
    for (let page = 0; page < 70; page += 1) cache.put(page, rows(page * 100));
    cache.show(0, 10, 100_000);
    cache.show(8000, 8010, 100_000);
    loads[0]?.come(rows(8000));
    await settled();
    expect([0, 250, 8000].map((row) => cache.row(row))).toEqual(['row 0', undefined, 'row 8000']);
    const before = changes();
    cache.show(9000, 9010, 100_000);
    cache.close();
    loads.at(-1)?.come(rows(9100));
    await settled();
    expect([changes(), cache.row(9100)]).toEqual([before, undefined]);
  });
});
