import { describe, expect, it } from 'vitest';
import {
  bandsOf,
  chartData,
  figureText,
  labelOf,
  tickTexts,
  ticksOf,
  type ChartData,
} from '../../../src/explorer/report/chart-data.ts';
import { readMembers } from '../../../src/explorer/report/report.ts';
import { parsed, rows } from '../../rows.ts';
import { exactNumber, type Json, type JsonObject } from '../../../src/explorer/rest/json.ts';

/** A chart of rows: the values of the groups, then the figure. */
function chart(
  groupby: string,
  values: readonly (readonly Json[])[],
  { figure = 'count', isRanked = false } = {},
): ChartData {
  const groups = readMembers(groupby);
  const [of] = readMembers(figure);
  if (of === undefined) throw new Error('no figure');
  const names = [...groups, of].map(({ expression, name }) => name || expression);
  const objects: JsonObject[] = values.map((row, at) => ({
    ...Object.fromEntries(names.map((name, index) => [name, row[index] ?? null])),
    uri: `/rest/A?${at}`,
  }));
  return chartData(objects, groups, of, isRanked);
}

const places = ({ categories }: ChartData): unknown =>
  categories.map(({ label, slot }) => [label, slot]);

const values = ({ series }: ChartData): unknown =>
  series.map(({ name, points }) => [name, points.map((point) => point?.value ?? null)]);

describe('the axis', () => {
  it.each(rows`
    year    | ['2024', '2026']                         | [0, 2]
    quarter | [2025-Q4, 2026-Q1, 2026-Q3]              | [0, 1, 3]
    month   | [2025-12, 2026-01, 2026-03]              | [0, 1, 3]
    week    | [2020-W53, 2021-W01, 2021-W52, 2022-W01, 2022-W03] | [0, 1, 52, 53, 55]
    day     | [2026-02-28, 2026-03-01, 2026-03-03]     | [0, 1, 3]
    hour    | [2026-03-01T23, 2026-03-02T00, 2026-03-02T02] | [0, 1, 3]
  `)('leaves gaps open between parts of dates: %s', (part, texts, slots) => {
    const values = parsed<string[]>(texts).toReversed();
    const data = chart(
      `d:${part}`,
      values.map((text) => [text, 1]),
    );
    const expected = parsed<number[]>(slots);
    expect(data.categories.map(({ slot }) => slot)).toEqual(expected);
    expect([data.isScale, data.slots]).toEqual([true, (expected.at(-1) ?? 0) + 1]);
  });

  // The groups, the values with their counts, whether these are ranked, and the labels with their slots.
  it.each(rows`
    a:step(0.5) | [[-0.5, 1], [0, 1], [1, 1]] | false | [['-0.5', 0], ['0', 1], ['1', 3]]
    # Null, and dates before Christ, stand before all, and those after 9999 behind.
    d:month | [[infinity, 3], [null, 1], [2026-01, 2], [0044-03-01 BC, 5], [10000-01-01, 6], [2026-02, 4]] | false
      | [[–, 0], [0044-03-01 BC, 2], [2026-01, 4], [2026-02, 5], [infinity, 7], [10000-01-01, 9]]
    status  | [[b, 1], [null, 2], [a, 3]]  | false | [[b, 0], [–, 1], [a, 2]]
    d:month | [[2026-03, 9], [2026-01, 1]] | true  | [[2026-03, 0], [2026-01, 1]]
  `)('of %s has %s in its order, with gaps (ranked: %s)', (groupby, values, ranked, expected) => {
    const data = chart(groupby, parsed<Json[][]>(values), { isRanked: ranked === 'true' });
    expect(places(data)).toEqual(parsed(expected));
  });

  it('ends where texts are too many', () => {
    const data = chart(
      'code',
      Array.from({ length: 502 }, (_, index) => [`c${index}`, 1]),
    );
    expect([data.slots, data.leftOut]).toEqual([500, '2 values of code']);
  });
});

describe('the series', () => {
  it('are the figure, or the values of the other groups', () => {
    const totals = [['a', exactNumber('12.50')] as const, ['b', null] as const];
    const one = chart('status', totals, { figure: 'sum(total) as turnover' });
    const points = [{ value: 12.5, text: '12.50', uri: '/rest/A?0' }, null];
    expect(one.series).toEqual([{ name: 'turnover', points }]);
    const some = '[[2026-01, CL, true, 1], [2026-01, null, false, 2], [2026-03, CL, true, 3]]';
    expect(values(chart('d:month,status,paid', parsed(some)))).toEqual([
      ['CL · true', [1, 3]],
      ['– · false', [2, null]],
    ]);
  });

  const ten = Array.from({ length: 10 }, (_, index) => ['x', `s${index}`, index + 1]);

  it('are added up where there are too many', () => {
    const data = chart('a,b', ten);
    expect(values(data)).toEqual([
      ...[3, 4, 5, 6, 7, 8, 9].map((at) => [`s${at}`, [at + 1]]),
      ['3 others', [6]],
    ]);
    expect([data.series.at(-1)?.points[0]?.uri, data.leftOut]).toEqual([null, '']);
  });

  it('are left out where they cannot be added up', () => {
    const data = chart('a,b', ten, { figure: 'avg(c)' });
    expect(data.series.map(({ name }) => name)).toEqual(
      [2, 3, 4, 5, 6, 7, 8, 9].map((at) => `s${at}`),
    );
    expect(data.leftOut).toBe('2 values of b');
  });

  it('stand side by side from 0, or on each other, what is negative below', () => {
    const { series } = chart('a,b', parsed('[[x, p, 2], [x, q, -1], [x, r, 3], [y, r, 1]]'));
    expect([bandsOf(series, false), bandsOf(series, true)]).toEqual(
      parsed(`[[[[0, 2], null], [[0, -1], null], [[0, 3], [0, 1]]],
        [[[0, 2], null], [[0, -1], null], [[2, 5], [0, 1]]]]`),
    );
  });
});

describe('the marks of an axis', () => {
  it.each(rows`
    [3, 32]     | [0, 10, 20, 30, 40]
    [0.1, 0.42] | [0, 0.1, 0.2, 0.3, 0.4, 0.5]
    [-15, 30]   | [-20, -10, 0, 10, 20, 30]
    [-3]        | [-3, -2, -1, 0]
    [0, 0]      | [0, 1]
    []          | [0, 1]
  `)('of %s are round', (found, marks) => {
    expect(ticksOf(parsed(found), 'bars')).toEqual(parsed(marks));
  });

  it('of lines begin at 0 unless the values are close together', () => {
    expect(ticksOf([1.02, 1.1], 'lines')).toEqual([1.02, 1.04, 1.06, 1.08, 1.1]);
    expect(ticksOf([1.02, 1.1], 'bars')[0]).toBe(0);
    expect(ticksOf([10, 30], 'lines')[0]).toBe(0);
    expect(ticksOf([7, 7], 'lines')[0]).toBe(0);
  });
});

it.each(rows`
  [0, 500000, 1000000] | 0 500K 1M
  [1000000, 1000500]   | 1M 1.001M
  [0, 5e29]            | 0 5E29
  [0, 0.00002]         | 0 0.00002
`)('the marks %s are written short, and differ', (ticks, texts) => {
  expect(tickTexts(parsed(ticks)).join(' ')).toBe(texts);
});

it.each(rows`
  1234567          | 1,234,567
  41883130.6400    | 41,883,130.6400
  9007199254740993 | 9,007,199,254,740,993
  -0.5             | -0.5
  1e+30            | 1e+30
`)('the figure %s keeps its digits, and is read in groups of three', (text, shown) => {
  expect(figureText(exactNumber(text))).toBe(shown);
});

it('values of groups are written as in the grid, and so are figures that are not numbers', () => {
  const values = ['2026-03-01T14:30:00Z', '2026-03-01T14', 'Total', '', 1234, false, null];
  expect(values.map(labelOf)).toEqual([
    ...['2026-03-01 14:30:00', '2026-03-01 14', 'Total', '""', '1234', 'false', '–'],
  ]);
  expect([figureText(null), figureText('Total')]).toEqual(['–', 'Total']);
});
