import type { ColumnType } from '../../schema/types.ts';
import { edgeDaysOf, OUTERMOST_DAYS } from '../../sql/edge-days.ts';
import { isHeld, localText } from '../../sql/local-time.ts';
import { ConversionError } from './conversion-error.ts';

/**
 * Refuses an instant that a column of local times would give back as another one: of an hour that clocks show twice the first one,
 * and hours that the offset moves onto a day that is the same in every time zone.
 * @param instant canonical text
 * @throws ConversionError wrongType
 */
export function checkHeld(instant: string, type: ColumnType, timeZone = 'UTC'): void {
  if (type.kind !== 'timestamp' || type.zoned) return;
  const edge = edgeDayOf(instant, type, timeZone);
  const near = nearInstant(instant);
  if (edge === null && (near === null || isHeld(near, type, timeZone))) return;
  const why =
    edge === null
      ? 'whose clocks show this hour twice'
      : `where this one falls on ${edge}, a day that is the same in every time zone`;
  throw new ConversionError(`a date-time that the database can tell apart in ${timeZone}, ${why}`);
}

/** The edge day onto which the time zone moves an instant that does not lie there itself; null for all others. */
function edgeDayOf(instant: string, type: ColumnType, timeZone: string): string | null {
  for (const { pattern, near, onto, edge } of BESIDE) {
    const time = pattern.exec(instant)?.[1];
    if (time === undefined) continue;
    return localText(`${near}T${time}Z`, type, timeZone).startsWith(onto) ? edge : null;
  }
  const [first, last] = edgeDaysOf(type);
  const near = nearInstant(instant);
  if (near === null) return null;
  const day = localText(near, type, timeZone).slice(0, 10);
  if (instant.startsWith('10000-01-01')) return day < near.slice(0, 10) ? last : null;
  return (day === first || day === last) && !near.startsWith(day) ? day : null;
}

/**
 * Days beside edge days that only PostgreSQL has: one with the same clocks that JavaScript's dates have, and the day onto which
 * they move its instants where they move those of the day itself onto the edge day. Before Christ, clocks show the sun's time all the year.
 */
const BESIDE = [
  {
    pattern: /^4714-11-25[T ](\d\d:\d\d:\d\d)\S* BC$/,
    near: '0004-11-25',
    onto: '0004-11-24',
    edge: OUTERMOST_DAYS.first,
  },
  {
    pattern: /^0001-12-31[T ](\d\d:\d\d:\d\d)\S* BC$/,
    near: '0004-12-31',
    onto: '0005-01-01',
    edge: '0001-01-01',
  },
  {
    pattern: /^294276-12-30[T ](\d\d:\d\d:\d\d)\S*$/,
    near: '2676-12-30',
    onto: '2676-12-31',
    edge: OUTERMOST_DAYS.last,
  },
] as const;

/**
 * An instant with the same clocks in the years that JavaScript's dates have: the calendar, and the rules of those who change
 * their clocks, come again after 400 years. Null before Christ and for infinity.
 */
function nearInstant(instant: string): string | null {
  const [, year = '', day = '', time = ''] = AFTER_CHRIST.exec(instant) ?? [];
  if (year === '') return null;
  return Number(year) <= 9999 ? instant : `${2400 + (Number(year) % 400)}-${day}T${time}Z`;
}

const AFTER_CHRIST = /^(\d+)-(\d\d-\d\d)[T ](\d\d:\d\d:\d\d)[^ ]*$/;
