import { cellText, NULL } from '../collection/columns.ts';
import { isNumber, plainText, writeJson, type Json, type JsonObject } from '../rest/json.ts';
import { figureOf, groupOf, memberName, type ChartKind, type Member } from './report.ts';

/** A value of the first group, and where it stands on the axis, in slots. */
export interface Category {
  readonly label: string;
  readonly slot: number;
}

/** A figure of one group, its text exact. */
export interface Point {
  readonly value: number;
  readonly text: string;
  /** The request of its entities; null where it has none. */
  readonly uri: string | null;
}

/** The figures that have the same values of all groups but the first, by the categories. */
export interface Series {
  readonly name: string;
  readonly points: readonly (Point | null)[];
}

/** What a chart draws of one figure. */
export interface ChartData {
  readonly categories: readonly Category[];
  /** How long the axis is. */
  readonly slots: number;
  /** Whether distances on the axis mean something, as those of time do. */
  readonly isScale: boolean;
  readonly series: readonly Series[];
  /** What is not drawn, in words; empty where all is. */
  readonly leftOut: string;
}

/** How many colours there are. */
const MOST_SERIES = 8;

/** How many values without distances stand side by side. */
const MOST_CATEGORIES = 500;

/**
 * Arranges a figure of groups for a chart.
 * @param isRanked whether the groups stay in their order: without it, dates and steps stand where they belong, and gaps stay open
 */
export function chartData(
  rows: readonly JsonObject[],
  groups: readonly Member[],
  figure: Member,
  isRanked: boolean,
): ChartData {
  const [first = '', ...others] = groups.map(memberName);
  const by = isRanked || groups[0] === undefined ? '' : groupOf(groups[0]).by;
  const values = rows.map((row) => row[first] ?? null);
  const { categories: all, isScale } = arrange(values, by);
  const categories = isScale ? all : all.slice(0, MOST_CATEGORIES);
  const indexes = new Map(categories.map(({ key }, index) => [key, index]));
  const found = new Map<string, (Point | null)[]>();
  for (const row of rows) {
    const index = indexes.get(writeJson(row[first] ?? null));
    const value = row[memberName(figure)];
    if (index === undefined || !isNumber(value)) continue;
    const name = others.map((other) => labelOf(row[other] ?? null)).join(' · ');
    const points = found.get(name) ?? categories.map(() => null);
    const uri = typeof row['uri'] === 'string' ? row['uri'] : null;
    points[index] = { value: Number(value), text: figureText(value), uri };
    found.set(name, points);
  }
  const canAdd = isAdditive(figure);
  const series = [...found].map(([name, points]) => ({ name: name || memberName(figure), points }));
  const drawn = largest(series, canAdd);
  const missing = (count: number, of: string): string[] =>
    count > 0 ? [`${count.toLocaleString()} values of ${of}`] : [];
  const leftOut = [
    ...missing(all.length - categories.length, first),
    ...missing(canAdd ? 0 : series.length - drawn.length, others.join(' and ')),
  ];
  return {
    categories,
    slots: (categories.at(-1)?.slot ?? 0) + 1,
    isScale,
    series: drawn,
    leftOut: leftOut.join(', '),
  };
}

/** Whether figures of parts add up to that of the whole: only then they are stacked. */
export function isAdditive(figure: Member): boolean {
  return ['count', 'sum'].includes(figureOf(figure).aggregate);
}

/** The text of a figure: of numbers all digits, in groups of three as people read them. */
export function figureText(value: Json): string {
  if (!isNumber(value)) return labelOf(value);
  const digits = String(value);
  const decimals = /^-?\d+(?:\.(\d+))?$/.exec(digits);
  if (decimals === null) return digits;
  const { length } = decimals[1] ?? '';
  return new Intl.NumberFormat(undefined, {
    minimumFractionDigits: length,
    maximumFractionDigits: length,
  }).format(digits as Intl.StringNumericLiteral);
}

/** A date-time, which is written without the letters that machines need. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d/;

/** The text of a group's value. */
export function labelOf(value: Json): string {
  if (value === null) return NULL;
  const isDateTime = typeof value === 'string' && DATE_TIME.test(value);
  return cellText(value, isDateTime ? 'date' : 'string') || '""';
}

/** Where each figure begins and ends, by series and category: side by side from 0, stacked on what is below it. */
export function bandsOf(
  series: readonly Series[],
  isStacked: boolean,
): readonly (readonly (readonly [from: number, to: number] | null)[])[] {
  const ups: number[] = [];
  const downs: number[] = [];
  return series.map(({ points }) =>
    points.map((point, index) => {
      if (point === null) return null;
      if (!isStacked) return [0, point.value];
      const below = point.value < 0 ? downs : ups;
      const from = below[index] ?? 0;
      below[index] = from + point.value;
      return [from, from + point.value];
    }),
  );
}

/** The marks of an axis: round numbers that take in all values, at least from 0 but for lines whose values are close together. */
export function ticksOf(values: readonly number[], kind: ChartKind): readonly number[] {
  const finite = values.filter(Number.isFinite);
  const [low, high] = [Math.min(...finite, Infinity), Math.max(...finite, -Infinity)];
  if (low > high) return [0, 1];
  const isClose =
    kind === 'lines' && low !== high && low * high > 0 && (high - low) * 2 < Math.max(high, -low);
  const from = isClose ? low : Math.min(0, low);
  const to = isClose ? high : Math.max(0, high);
  const size = roundUp((to - from) / 5);
  const first = Math.floor(from / size);
  const last = Math.max(Math.ceil(to / size), first + 1);
  // Multiples of a decimal such as 0.1 have digits that are none.
  return Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * size).toPrecision(12)),
  );
}

/** Numbers from here on have no name for their size. */
const HUGE = 1e15;

/** The texts of an axis's marks: short, with as many digits as it takes to tell them apart. */
export function tickTexts(ticks: readonly number[], digits = 3): readonly string[] {
  const written = new Intl.NumberFormat(undefined, {
    notation: ticks.some((tick) => Math.abs(tick) >= HUGE) ? 'scientific' : 'compact',
    maximumSignificantDigits: digits,
  });
  const texts = ticks.map((tick) => (tick === 0 ? '0' : written.format(tick)));
  const isClear = digits === 12 || new Set(texts).size === texts.length;
  return isClear ? texts : tickTexts(ticks, digits + 1);
}

/** The next of 1, 2, 5, 10, 20, … and 0.1, 0.2, 0.5, … */
function roundUp(size: number): number {
  if (size === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(size));
  return ([1, 2, 5].find((factor) => factor * power >= size) ?? 10) * power;
}

/** The runs of points without a gap, as indexes: a gap is a category without a figure, or a slot without a category. */
export function runsOf(
  { points }: Series,
  categories: readonly Category[],
): readonly (readonly number[])[] {
  const runs: number[][] = [];
  let before = -Infinity;
  for (const [index, { slot }] of categories.entries()) {
    if (points[index] === null) continue;
    const run = runs.at(-1);
    if (run === undefined || slot > before + 1 || points[index - 1] === null) runs.push([index]);
    else run.push(index);
    before = slot;
  }
  return runs;
}

/** Places values on the axis: dates and steps by their distance, before and behind them what has none, such as null; all else side by side. */
function arrange(values: readonly Json[], by: string) {
  const distinct = new Map(values.map((value) => [writeJson(value), value]));
  const placed = [...distinct].map(([key, value]) => ({
    key,
    label: labelOf(value),
    at: value === null ? NaN : placeOf(plainText(value), by),
  }));
  const places = placed.flatMap(({ at }) => (Number.isFinite(at) ? [at] : []));
  const isScale = places.length > 0;
  const before = 2 * placed.filter(({ at }) => Number.isNaN(at)).length;
  const first = places.reduce((least, at) => Math.min(least, at), Infinity) - before;
  let next = 0;
  let behind = places.reduce((most, at) => Math.max(most, at), -Infinity) - first;
  const categories = placed.map(({ key, label, at }) => {
    if (Number.isFinite(at)) return { key, label, slot: at - first };
    if (!isScale) return { key, label, slot: next++ };
    return { key, label, slot: at === Infinity ? (behind += 2) : 2 * next++ };
  });
  return { categories: categories.toSorted((a, b) => a.slot - b.slot), isScale };
}

const DAY = 86_400_000;

/** The place of a part of dates, or of a step, among all there are; Infinity behind them, and NaN where it has none. */
function placeOf(text: string, by: string): number {
  if (!by.startsWith('step')) {
    if (/^(?:infinity$|\d{5})/.test(text)) return Infinity;
    if (text.endsWith('BC')) return NaN;
  }
  const [year = '', part = ''] = text.split('-');
  switch (by) {
    case 'year':
      return Number(year);
    case 'quarter':
      return Number(year) * 4 + Number(part.slice(1));
    case 'month':
      return Number(year) * 12 + Number(part);
    case 'week': {
      // The fourth of January is in the first week (ISO 8601).
      const fourth = Math.floor(Date.parse(`${year}-01-04`) / DAY);
      return Math.floor((fourth + 3) / 7) + Number(part.slice(1));
    }
    case 'day':
      return Date.parse(text) / DAY;
    case 'hour':
      return (Date.parse(`${text}:00Z`) / DAY) * 24;
    default: {
      const size = Number(/^step\((.+)\)$/.exec(by)?.[1]);
      return Math.round(Number(text) / size);
    }
  }
}

/** As many series as there are colours, those of the largest figures. What can be added is the last one. */
function largest(series: readonly Series[], canAdd: boolean): readonly Series[] {
  if (series.length <= MOST_SERIES) return series;
  const size = ({ points }: Series): number =>
    points.reduce((sum, point) => sum + Math.abs(point?.value ?? 0), 0);
  const ranked = series.toSorted((a, b) => size(b) - size(a));
  const others = ranked.splice(canAdd ? MOST_SERIES - 1 : MOST_SERIES);
  const shown = series.filter((one) => ranked.includes(one));
  if (!canAdd) return shown;
  const points = others[0]?.points.map((_, index) => {
    const added = others.flatMap((one) => one.points[index] ?? []);
    const sum = added.reduce((total, { value }) => total + value, 0);
    return added.length === 0 ? null : { value: sum, text: sum.toLocaleString(), uri: null };
  });
  return [...shown, { name: `${others.length} others`, points: points ?? [] }];
}
