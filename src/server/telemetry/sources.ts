import { Counter, Gauge, type Registry } from 'prom-client';
import type { PoolUsage } from '../../database/database.ts';
import type { Awaitable } from '../../base/time.ts';
import type { StateFigures } from '../../state/state.ts';
import type { CacheStats } from '../pipeline/operation.ts';

/** The parts of a gateway whose figures are read when Prometheus asks for them. */
export interface MetricSources {
  readonly pool: () => PoolUsage;
  /** Left out where reads and writes share their connections. */
  readonly writePool?: (() => PoolUsage) | undefined;
  readonly plans: () => CacheStats;
  /** The figures of sessions, entity sets and uploads. */
  readonly state: () => Awaitable<StateFigures>;
  /** Null where entities cannot be locked. */
  readonly locks: { readonly size: number; readonly refused: number } | null;
  readonly lostLogLines: () => number;
}

interface Reading {
  readonly name: string;
  readonly help: string;
  /** @param state null where the state store cannot be reached */
  readonly read: (sources: MetricSources, state: StateFigures | null) => number;
}

const gauges: readonly Reading[] = [
  {
    name: 'entitygate_plan_cache_entries',
    help: 'Plans of request shapes that are kept.',
    read: ({ plans }) => plans().entries,
  },
  {
    name: 'entitygate_plan_cache_bytes',
    help: 'About how much memory they take.',
    read: ({ plans }) => plans().bytes,
  },
  {
    name: 'entitygate_entity_sets',
    help: 'Entity sets that are kept.',
    read: (_sources, state) => state?.entitySets.count ?? Number.NaN,
  },
  {
    name: 'entitygate_entity_sets_bytes',
    help: 'The memory that they take.',
    read: (_sources, state) => state?.entitySets.bytes ?? Number.NaN,
  },
  {
    name: 'entitygate_sessions',
    help: 'Sessions that are open.',
    read: (_sources, state) => state?.sessions ?? Number.NaN,
  },
  {
    name: 'entitygate_locks',
    help: 'Locks on entities that the sessions of this process hold.',
    read: ({ locks }) => locks?.size ?? 0,
  },
  {
    name: 'entitygate_uploads',
    help: 'Uploads that wait for a save.',
    read: (_sources, state) => state?.uploads.count ?? Number.NaN,
  },
  {
    name: 'entitygate_uploads_bytes',
    help: 'The memory that they take.',
    read: (_sources, state) => state?.uploads.bytes ?? Number.NaN,
  },
];

const counters: readonly Reading[] = [
  {
    name: 'entitygate_plan_cache_hits_total',
    help: 'Requests whose plan was kept.',
    read: ({ plans }) => plans().hits,
  },
  {
    name: 'entitygate_plan_cache_misses_total',
    help: 'Requests that had to be planned.',
    read: ({ plans }) => plans().misses,
  },
  {
    name: 'entitygate_plan_cache_evictions_total',
    help: 'Plans that made room for others.',
    read: ({ plans }) => plans().evictions,
  },
  {
    name: 'entitygate_entity_sets_evicted_total',
    help: 'Entity sets that made room for others before their time.',
    read: (_sources, state) => state?.entitySets.evicted ?? Number.NaN,
  },
  {
    name: 'entitygate_entity_sets_expired_total',
    help: 'Entity sets that were not used for their lifetime.',
    read: (_sources, state) => state?.entitySets.expired ?? Number.NaN,
  },
  {
    name: 'entitygate_locks_refused_total',
    help: 'Requests for a lock that another session held.',
    read: ({ locks }) => locks?.refused ?? 0,
  },
  {
    name: 'entitygate_log_lines_lost_total',
    help: 'Lines of the log that were lost because they were not read in time.',
    read: ({ lostLogLines }) => lostLogLines(),
  },
];

const poolGauges: readonly (Omit<Reading, 'read'> & { readonly field: keyof PoolUsage })[] = [
  {
    name: 'entitygate_pool_size',
    help: 'Connections to the database that the pool may have.',
    field: 'size',
  },
  { name: 'entitygate_pool_in_use', help: 'Connections that are lent.', field: 'used' },
  {
    name: 'entitygate_pool_waiting',
    help: 'Requests that wait for a connection.',
    field: 'waiting',
  },
];

/** Registers the figures that are read from the parts of a gateway. */
export function registerSources(registry: Registry, sources: MetricSources): void {
  const registers = [registry];
  const state = joined(sources.state);
  for (const { name, help, read } of gauges) {
    new Gauge({
      ...{ name, help, registers },
      async collect() {
        this.set(read(sources, await state()));
      },
    });
  }
  for (const { name, help, read } of counters) {
    new Counter({
      ...{ name, help, registers },
      async collect() {
        const count = read(sources, await state());
        this.reset();
        this.inc(count);
      },
    });
  }
  const { pool, writePool } = sources;
  for (const { name, help, field } of poolGauges) {
    new Gauge({
      ...{ name, help, registers, labelNames: ['pool'] },
      collect() {
        this.set({ pool: writePool === undefined ? 'all' : 'read' }, pool()[field]);
        if (writePool !== undefined) this.set({ pool: 'write' }, writePool()[field]);
      },
    });
  }
}

/** Reads the figures of the state once for all who ask at a time; null where they cannot be had. */
function joined(read: MetricSources['state']): () => Promise<StateFigures | null> {
  let reading: Promise<StateFigures | null> | null = null;
  const readOnce = async (): Promise<StateFigures | null> => {
    try {
      return await read();
    } catch {
      return null;
    } finally {
      reading = null;
    }
  };
  return () => (reading ??= readOnce());
}
