import { type DayPart, firstDay, PART_EXAMPLES } from '../../base/date-parts.ts';
import type { CoarseTime, ColumnType, TypeOf } from '../../schema/types.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import {
  edgeDaysOf,
  instantText,
  isHeld,
  isUtc,
  localText,
  OUTERMOST_DAYS,
} from '../../sql/local-time.ts';
import { ConversionError } from './conversion-error.ts';
import { type Rounding, withFraction, withoutLastZeros } from './numbers.ts';

const DATE_FORMS = 'a date such as 2024-12-31';
const DATE = /^(?:!!)?(\d{4})-(\d{1,2})-(\d{1,2})(?:!!)?$/;
const FAMILY_DATE = /^(\d{1,2})!(\d{1,2})!(\d{4})$/;
const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** The two forms of one date that the family's browser client sends together: `1950-01-01T00:00:00Z,1!1!1950`. Any other text is both. */
function instantAndDay(text: string): { readonly instant: string; readonly day: string } {
  const trimmed = text.trim();
  const [instant = '', day = '', ...more] = trimmed.split(',');
  const isPair = more.length === 0 && INSTANT.test(instant) && FAMILY_DATE.test(day);
  return isPair ? { instant, day } : { instant: trimmed, day: trimmed };
}

/** The parts of an ISO date-time on a day that exists; null for any other text. */
function instantParts(text: string): {
  readonly day: string;
  readonly time: string;
  readonly fraction: string;
  readonly offset: string | undefined;
} | null {
  const [, day = '', hour = '', minute = '', second = '00', fraction = '', offset] =
    INSTANT.exec(text) ?? [];
  const time = `${hour}:${minute}:${second}`;
  return day === '' || calendarDay(day) === null ? null : { day, time, fraction, offset };
}

/** A date as `YYYY-MM-DD`, from that, `!!YYYY-MM-DD!!`, `d!m!yyyy`, or an ISO date-time that is a midnight or the end of time. */
export function date(text: string, { distantTimes }: ValueLimits): string {
  const { day: given } = instantAndDay(text);
  const day = (distantTimes ? distant(given, LAST_DAY, false) : null) ?? calendarDay(given);
  if (day !== null) return day;
  const parts = instantParts(given);
  if (parts === null || !isTime(parts.time)) {
    const side = isPastYears(given) ? 'above' : null;
    throw new ConversionError(DATE_FORMS, 'wrongType', { side });
  }
  const isMidnight = parts.time === '00:00:00' && /^0*$/.test(parts.fraction);
  // Clients send the last second for the end of time.
  const isLast = parts.day === '9999-12-31' && parts.time === '23:59:59';
  if (isMidnight || isLast) return parts.day;
  throw new ConversionError(DATE_FORMS, 'wrongType', { floor: parts.day });
}

/** The first day of a part of dates, `2026-03-01` of `2026-03`. */
export function datePart(text: string, part: DayPart): string {
  const day = firstDay(part, text);
  if (day !== null) return day;
  throw new ConversionError(`a ${part} such as ${PART_EXAMPLES[part]}`);
}

function isTime(time: string): boolean {
  const [hour, minute, second] = time.split(':').map(Number);
  return Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
}

/** Whether a text is a date, or date-time, of a year after 9999. The calendar repeats after 400 years. */
function isPastYears(text: string): boolean {
  const near = text.replace(
    /^(!!)?(\d{5,7})(?=-)/,
    (_, marks: string | undefined, year: string) => `${marks ?? ''}${2000 + (Number(year) % 400)}`,
  );
  if (near === text || /^(?:!!)?0/.test(text)) return false;
  const parts = instantParts(near);
  return calendarDay(near) !== null || (parts !== null && isTime(parts.time));
}

function calendarDay(text: string): string | null {
  const iso = DATE.exec(text);
  const family = FAMILY_DATE.exec(text);
  const [year, month, day] =
    iso !== null ? iso.slice(1) : family !== null ? family.slice(1).reverse() : [];
  if (year === undefined || month === undefined || day === undefined) return null;
  const value = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const parsed = new Date(`${value}T00:00:00Z`);
  const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(value);
  return exists && year !== '0000' ? value : null;
}

/** An ISO date-time in UTC with all its digits; without offset it is in the database's time zone, a date alone is its midnight. */
export function timestamp(text: string, type: TypeOf<'timestamp'>, limits: ValueLimits): string {
  const { instant } = instantAndDay(text);
  const distantText = limits.distantTimes ? distantInstant(instant, limits.timeZone) : null;
  return distantText ?? nearTimestamp(instant, type, limits);
}

/**
 * A value as it is compared with a column: of local times, one that the clocks of the time zone skip, so that no instant has it, as local time that
 * ends in `z`. @throws ConversionError
 */
export function comparedTimestamp(
  text: string,
  type: TypeOf<'timestamp'>,
  limits: ValueLimits,
): string {
  const instant = timestamp(text, type, limits);
  const hasOffset = instantParts(instantAndDay(text).instant)?.offset !== undefined;
  if (type.zoned || hasOffset || isUtc(limits.timeZone) || !NEAR.test(instant)) return instant;
  const local = timestamp(text, type, { ...limits, timeZone: 'UTC' }).slice(0, -1);
  return localText(instant, type, limits.timeZone) === local ? instant : `${local}z`;
}

const NEAR = /^\d{4}-.*Z$/;

function nearTimestamp(trimmed: string, type: TypeOf<'timestamp'>, limits: ValueLimits): string {
  const day = calendarDay(trimmed);
  if (day !== null) return nearTimestamp(`${day}T00:00:00`, type, limits);
  const { coarse } = type;
  const range = coarse === undefined ? '' : `, from ${coarse.first} to ${coarse.last}`;
  const expected = `${DATE_FORMS} or a date-time such as 2024-12-31T23:59:59.999Z${range}`;
  const parts = instantParts(trimmed);
  if (parts === null) {
    const side = !limits.distantTimes && isPastYears(trimmed) ? 'above' : null;
    throw new ConversionError(expected, 'wrongType', { side });
  }
  const { fraction, offset } = parts;
  const local = `${parts.day}T${parts.time}`;
  if (Number.isNaN(Date.parse(`${local}Z`))) throw new ConversionError(expected);
  const instant = new Date(
    offset === undefined ? instantText(local, type, limits.timeZone) : local + zoneOf(offset),
  );
  if (Number.isNaN(instant.getTime())) throw new ConversionError(expected);
  const year = instant.getUTCFullYear();
  if (year < 1 || year > 9999) {
    const side = year < 1 ? 'below' : 'above';
    throw new ConversionError(expected, 'wrongType', { side: limits.distantTimes ? null : side });
  }
  const whole = instant.toISOString().slice(0, 19);
  const value = cutAtEnd(`${withFraction(whole, fraction.slice(0, limits.fractionDigits))}Z`, type);
  const side = coarse === undefined ? null : sideOfRange(value, coarse);
  if (side !== null) throw new ConversionError(expected, 'wrongType', { side });
  return value;
}

/** `+0130` as `+01:30`. */
function zoneOf(offset: string): string {
  if (/^z$/i.test(offset)) return 'Z';
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '').padEnd(2, '0')}`;
}

/** The side of the type's range on which an instant lies. Without the Z, text is in the order of time. */
function sideOfRange(value: string, { first, last }: CoarseTime): 'below' | 'above' | null {
  const at = value.slice(0, -1);
  if (at < first.slice(0, -1)) return 'below';
  return at > last.slice(0, -1) ? 'above' : null;
}

/** A time as `HH:MM:SS` with all its digits. @throws ConversionError when the type cannot hold the value */
export function time(
  text: string,
  type: TypeOf<'time'>,
  { fractionDigits, distantTimes }: ValueLimits,
): string {
  if (distantTimes && END_OF_DAY.test(text.trim())) return '24:00:00';
  const match = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?$/.exec(text.trim());
  const [, hour = '', minute = '', second = '00', fraction = ''] = match ?? [];
  if (match === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    throw new ConversionError('a time such as 23:59:59');
  }
  const whole = `${hour.padStart(2, '0')}:${minute}:${second}`;
  return cutAtEnd(withFraction(whole, fraction.slice(0, fractionDigits)), type);
}

/** The nearest instant of a column that is not greater (`down`) or not less (`up`). */
export function roundTimestamp(
  canonical: string,
  type: TypeOf<'timestamp'>,
  round: Rounding,
): string {
  if (canonical.endsWith('z')) {
    return roundTimestamp(`${canonical.slice(0, -1)}Z`, type, round).replace('Z', 'z');
  }
  return type.coarse === undefined
    ? roundFraction(canonical, type.fractionDigits ?? 7, round)
    : roundInstant(canonical, type.coarse.step, round);
}

/** Rounds a time to some digits of its second; after the last value of a type, values are rounded to that. */
function roundFraction(canonical: string, digits: number, round: Rounding): string {
  const [, whole = '', fraction = '', zone = ''] =
    /^([^.Z]*)(?:\.(\d+))?(Z?)$/.exec(canonical) ?? [];
  if (!/[1-9]/.test(fraction.slice(digits))) return canonical;
  const cut = fraction.slice(0, digits);
  if (round === 'down') return withFraction(whole, cut) + zone;
  const next = String(BigInt(`1${cut}`) + 1n);
  if (!next.startsWith('2')) return withFraction(whole, next.slice(1)) + zone;
  const second = new Date(Date.parse(`${whole}Z`) + 1000).toISOString();
  return (second.startsWith('+') ? withFraction(whole, cut) : second.slice(0, 19)) + zone;
}

/** Cuts the digits that a column has no room for: the engine would round `9999-12-31T23:59:59.9999999Z`, .NET's "never", into the next year. */
export function cutToStep(canonical: string, type: ColumnType): string {
  if (type.kind !== 'timestamp' && type.kind !== 'time' && type.kind !== 'opaque') return canonical;
  if (type.kind === 'timestamp' && type.coarse !== undefined) {
    return `${withoutLastZeros(roundInstant(canonical, type.coarse.step, 'down').slice(0, -1))}Z`;
  }
  const { fractionDigits } = type;
  if (fractionDigits === undefined) return canonical;
  const [, whole = '', digits = '', rest = ''] =
    /^([^.]*)\.(\d+)((?!\d).*)?$/.exec(canonical) ?? [];
  if (digits.length <= fractionDigits) return canonical;
  return withFraction(whole, digits.slice(0, fractionDigits)) + rest;
}

/**
 * Cuts a compared value that clients send for the end of time, so that a column finds the value that it was given: all nines within the type's
 * last second become its last value, on SQL Server's older types all within the last tick or minute.
 */
function cutAtEnd(canonical: string, type: ColumnType): string {
  if (type.kind === 'timestamp' && type.coarse !== undefined) {
    const cut = cutToStep(canonical, type);
    return cut === type.coarse.last ? cut : canonical;
  }
  if (!/\.9+Z?$/.test(canonical)) return canonical;
  const cut = cutToStep(canonical, type);
  if (type.kind === 'time') return canonical.startsWith('23:59:59') ? cut : canonical;
  return canonical.startsWith('9999-12-31T23:59:59') ? cut : canonical;
}

/** The ticks in milliseconds: 1/300 and 2/300 of a second are written as 3 and 7. */
const TICKS = [0, 3, 7, 10];

function roundInstant(canonical: string, step: 'tick' | 'minute', round: Rounding): string {
  const [, whole = '', fraction = ''] = /^([^.]*?)(?:\.(\d+))?Z$/.exec(canonical) ?? [];
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const second = Date.parse(`${whole}Z`);
  const hasMore = /[1-9]/.test(fraction.slice(3));
  const at = second + milliseconds;
  const base = step === 'tick' ? at - (milliseconds % 10) : Math.floor(at / 60_000) * 60_000;
  const offsets = step === 'tick' ? TICKS : [0, 60_000];
  const isReached = (offset: number): boolean => base + offset <= at;
  const floor = base + (offsets.findLast(isReached) ?? 0);
  const isExact = floor === at && !hasMore;
  const next = base + (offsets.find((offset) => !isReached(offset)) ?? 0);
  return new Date(round === 'down' || isExact ? floor : next).toISOString();
}

/** Days and times that only PostgreSQL has (https://www.postgresql.org/docs/current/datatype-datetime.html), as it answers them. */

const INFINITE = /^-?infinity$/i;
const DISTANT =
  /^(\d{4,7})-(\d\d)-(\d\d)(?:[T ](\d\d):([0-5]\d):([0-5]\d)(?:\.\d{1,6})?(?:Z|\+00)?)?( BC)?$/i;
const HAS_OFFSET = /(?:Z|\+00)(?: BC)?$/i;
const END_OF_DAY = /^24:00(?::00(?:\.0+)?)?$/;

/** The last years of PostgreSQL's types, and their first year, before Christ, with its first day. */
const LAST_DAY = 5_874_897;
const LAST_INSTANT = 294_276;
const FIRST_YEAR = 4714;
const FIRST_DAY = '11-24';

/** A date-time in UTC that only PostgreSQL has, as it reads it; null for any other. @param timeZone that of one without offset */
function distantInstant(text: string, timeZone: string): string | null {
  const instant = distant(text, LAST_INSTANT, true);
  if (instant === null) return null;
  return INFINITE.test(text) || HAS_OFFSET.test(text) || isUtc(timeZone) ? instant : null;
}

/** A day or date-time that only PostgreSQL has: beyond the years 1 to 9999, or infinite. */
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

/** An answer before Christ has no `Z`, or has its offset before the era. */
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
 * Refuses an instant that a column of local times would give back as another one: in an hour that clocks show twice, or where the offset moves
 * it onto a day that is the same in every time zone. @throws ConversionError
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

/** The edge day onto which the time zone moves an instant of another day; null where it does not. */
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
 * Days beside edge days that only PostgreSQL has, each with a day of the same clocks in the years of JavaScript's dates, and the day onto which
 * clocks move its instants where they move those of the day itself onto the edge day. Before Christ, clocks show the sun's time all the year.
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

/** An instant with the same clocks in the years of JavaScript's dates, as clock rules repeat after 400 years; null before Christ and for infinity. */
function nearInstant(instant: string): string | null {
  const [, year = '', day = '', time = ''] = AFTER_CHRIST.exec(instant) ?? [];
  if (year === '') return null;
  return Number(year) <= 9999 ? instant : `${2400 + (Number(year) % 400)}-${day}T${time}Z`;
}

const AFTER_CHRIST = /^(\d+)-(\d\d-\d\d)[T ](\d\d:\d\d:\d\d)[^ ]*$/;
