import type { RequestBegun } from '../../../src/base/observe/observer.ts';
import type { MetricSources } from '../../../src/server/telemetry/sources.ts';

/** Figures that differ from each other. */
export const someSources: MetricSources = {
  pool: () => ({ size: 8, used: 3, waiting: 2 }),
  plans: () => ({ entries: 4, bytes: 5000, hits: 60, misses: 7, evictions: 1 }),
  locks: { size: 14, refused: 15 },
  state: () => ({
    sessions: 13,
    entitySets: { count: 9, bytes: 1200, evicted: 10, expired: 11 },
    uploads: { count: 16, bytes: 1700 },
  }),
  lostLogLines: () => 18,
};

export function begun(more: Partial<RequestBegun> = {}): RequestBegun {
  return { id: 'r-1', verb: 'GET', url: '/rest/A', address: '127.0.0.1', headers: {}, ...more };
}

/** The families of the gateway itself in a scraped text, without those of Node.js and the process. */
export function ownFamilies(text: string): string[] {
  return text.split('\n\n').filter((family) => family.startsWith('# HELP entitygate_'));
}
