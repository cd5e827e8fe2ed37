import type { ColumnType } from '../../schema/types.ts';
import { edgeDaysOf, isHeld, localText, OUTERMOST_DAYS } from '../../sql/local-time.ts';
import { ConversionError } from './conversion-error.ts';

/**
 * Days and times that only PostgreSQL has, as it answers them: beyond the years 1 to 9999, infinite ones, and the end of the
 * day (https://www.postgresql.org/docs/current/datatype-datetime.html).
 */

const INFINITE = /^-?infinity$/i;
const DISTANT =
  /^(\d{4,7})-(\d\d)-(\d\d)(?:[T ](\d\d):([0-5]\d):([0-5]\d)(?:\.\d{1,6})?(?:Z|\+00)?)?( BC)?$/i;
const HAS_OFFSET = /(?:Z|\+00)(?: BC)?$/i;
const END_OF_DAY = /^24:00(?::00(?:\.0+)?)?$/;

/** The last years of its types, and the first one, before Christ, with the day that it begins with for them. */
const LAST_DAY = 5_874_897;
const LAST_INSTANT = 294_276;
const FIRST_YEAR = 4714;
const FIRST_DAY = '11-24';

/** A day, as PostgreSQL reads it; null for what is none of those that it has alone. */
export function distantDay(text: string): string | null {
  return distant(text, LAST_DAY, false);
}

/**
 * A date-time in UTC, as PostgreSQL reads it; null for what is none of those that it has alone.
 * @param isUtc whether one without offset is in UTC, too
 */
export function distantInstant(text: string, isUtc: boolean): string | null {
  const instant = distant(text, LAST_INSTANT, true);
  return isUtc || INFINITE.test(text) || HAS_OFFSET.test(text) ? instant : null;
}

/** `24:00:00`; null for any other time. */
export function endOfDay(text: string): string | null {
  return END_OF_DAY.test(text) ? '24:00:00' : null;
}

function distant(text: string, lastYear: number, isInstant: boolean): string | null {
  if (INFINITE.test(text)) return text.toLowerCase();
  const match = DISTANT.exec(text);
  if (match === null) return null;
  const [, digits = '', month = '', day = '', hour, , , era] = match as readonly (
    string | undefined
  )[];
  const year = Number(digits);
  const isBefore = era !== undefined;
  if ((hour !== undefined) !== isInstant || Number(hour ?? 0) > 23) return null;
  if (year < 1 || year > (isBefore ? FIRST_YEAR : lastYear)) return null;
  if (isBefore && year === FIRST_YEAR && `${month}-${day}` < FIRST_DAY) return null;
  if (!isBefore && year <= 9999) return null;
  const months = isLeap(isBefore ? 1 - year : year) ? LEAP_MONTHS : MONTHS;
  const days = months[Number(month) - 1] ?? 0;
  return Number(day) >= 1 && Number(day) <= days ? withZone(text, isInstant, isBefore) : null;
}

/** The answer of a date-time before Christ has no `Z`, or has its offset before the era. */
function withZone(text: string, isInstant: boolean, isBefore: boolean): string {
  if (!isInstant || HAS_OFFSET.test(text)) return text;
  return isBefore ? `${text.slice(0, -' BC'.length)}+00 BC` : `${text}Z`;
}

const MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const LEAP_MONTHS = MONTHS.map((days, index) => (index === 1 ? 29 : days));

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

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
