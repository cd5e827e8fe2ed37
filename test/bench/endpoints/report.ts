import { spread } from '../timing.ts';
import type { Figures } from './measure.ts';
import { figure, percentile } from './statistics.ts';
import { table } from './table.ts';
import { median } from '../timing.ts';

/** What a case came to at a number of connections: the gateway's rounds, and those of what stands beside it. */
export interface Result {
  readonly name: string;
  readonly connections: number;
  readonly gateway: readonly Figures[];
  readonly other: readonly Figures[];
}

const MB = 1_000_000;

/** The ratios of what both sides answered in a second, round by round: the median with the least and the most. */
export function ratio({ gateway, other }: Pick<Result, 'gateway' | 'other'>): string {
  return spread(
    gateway.map(({ perSecond }, round) => perSecond / (other[round]?.perSecond ?? Number.NaN)),
    2,
  );
}

const head = ['case', 'conn.', 'ratio', 'req/s', 'p50 ms', 'p99 ms', 'CPU ms', 'MB', 'loop p99'];

/** The table of some results: of each pair of figures the first is the gateway's. */
export function shownResults(results: readonly Result[]): string {
  return table(
    head,
    results.map((result) => {
      const both = (of: (rounds: readonly Figures[]) => number): string =>
        [result.gateway, result.other].map((rounds) => figure(of(rounds))).join(' / ');
      const latency =
        (share: number) =>
        (rounds: readonly Figures[]): number =>
          percentile(
            rounds.flatMap(({ latencies }) => latencies),
            share,
          );
      return [
        result.name,
        String(result.connections),
        ratio(result),
        both((rounds) => median(rounds.map(({ perSecond }) => perSecond))),
        both(latency(0.5)),
        both(latency(0.99)),
        both((rounds) => median(rounds.map(({ cpuPerRequest }) => cpuPerRequest))),
        both((rounds) => Math.max(...rounds.map(({ memory }) => memory / MB))),
        both((rounds) => median(rounds.map(({ delay }) => delay))),
      ];
    }),
  );
}
