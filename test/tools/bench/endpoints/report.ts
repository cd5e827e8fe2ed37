import { addTo } from '../../../../src/base/collections.ts';
import { figure, median, spread } from './figures.ts';
import type { Figures } from './measure.ts';
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

/** The ratios of what both sides answered in a second, round by round: the median with the least and the most. */
export function ratio({ gateway, other }: Pick<Result, 'gateway' | 'other'>): string {
  return spread(
    gateway.map(({ perSecond }, round) => perSecond / (other[round]?.perSecond ?? Number.NaN)),
    2,
  );
}

/** The table of some results, a row for each request: the gateway's requests per second at 8 connections, and the ratios at 1, 8 and 64 beside each other side. */
export function shownResults(results: readonly Result[]): string {
  const besides = [...new Set(results.map(({ beside }) => beside))];
  const requests = new Map<string, Result[]>();
  for (const result of results) addTo(requests, result.name, result);
  return table(
    ['request', 'requests/s', ...besides],
    Array.from(requests, ([name, of]) => [
      name,
      perSecond(of),
      ...besides.map((beside) => ratios(of.filter((result) => result.beside === beside))),
    ]),
  );
}

function perSecond(results: readonly Result[]): string {
  const { gateway = [] } = results.find(({ connections }) => connections === 8) ?? {};
  return figure(median(gateway.map((round) => round.perSecond)));
}

function ratios(results: readonly Result[]): string {
  if (results.length === 0) return '';
  return [1, 8, 64]
    .map((connections) => {
      const result = results.find((one) => one.connections === connections);
      return result === undefined ? '–' : ratio(result).split(' ')[0];
    })
    .join(' · ');
}

/** All figures of one result: the ratio, and of both sides requests per second, latencies, and processor time. */
export function shownResult(result: Result): readonly string[] {
  const both = (of: (round: Figures) => number): string =>
    [result.gateway, result.other].map((rounds) => figure(median(rounds.map(of)))).join(' / ');
  return [
    ...[result.name, result.beside, String(result.connections), ratio(result)],
    ...[both((round) => round.perSecond), both((round) => round.median)],
    ...[both((round) => round.p99), both((round) => round.cpuPerRequest)],
  ];
}
