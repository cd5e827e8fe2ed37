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
