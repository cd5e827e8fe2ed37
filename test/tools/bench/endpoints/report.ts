import { median, spread } from '../timing.ts';
import type { Figures } from './measure.ts';
import { figure, percentile } from './statistics.ts';
import { table } from './table.ts';

/** What a case came to at a number of connections: the gateway's rounds, and those of what stands beside it. */
export interface Result {
  readonly name: string;
  /** What the others are. */
  readonly beside: string;
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

const head = [
  'request',
  'beside',
  'connections',
  'ratio',
  'requests/s',
  'p50, ms',
  'p99, ms',
  'first byte, ms',
  'CPU, ms',
  'memory, MB',
  'loop, ms',
];

/** The table of some results: of each pair of figures the first is the gateway's. */
export function shownResults(results: readonly Result[]): string {
  return table(head, results.map(shownResult));
}

/** The figures of one result, as they stand in the table. */
export function shownResult(result: Result): readonly string[] {
  const both = (of: (rounds: readonly Figures[]) => number): string =>
    [result.gateway, result.other].map((rounds) => figure(of(rounds))).join(' / ');
  const middle = (of: (round: Figures) => number): string =>
    both((rounds) => median(rounds.map(of)));
  const all = (of: (round: Figures) => readonly number[], share: number): string =>
    both((rounds) => percentile(rounds.flatMap(of), share));
  return [
    result.name,
    result.beside,
    String(result.connections),
    ratio(result),
    middle(({ perSecond }) => perSecond),
    all(({ latencies }) => latencies, 0.5),
    all(({ latencies }) => latencies, 0.99),
    all(({ firsts }) => firsts, 0.5),
    middle(({ cpuPerRequest }) => cpuPerRequest),
    both((rounds) => Math.max(...rounds.map(({ peak }) => peak / MB))),
    middle(({ delay }) => delay),
  ];
}
