import type { ColumnType } from '../../schema/types.ts';
import { instantText, localText, OUTERMOST_DAYS } from '../local-time.ts';

/**
 * Instants and local times of the years that only PostgreSQL has, in the form in which it writes them: `0044-03-15 12:00:00 BC`,
 * with `+00` before the era for an instant. Their clocks are those of a year that JavaScript's dates have, too: the calendar, and
 * the rules of those who change their clocks, come again after 400 years; before Christ, clocks show the sun's time all the year.
 */

const DISTANT = /^(\d{4,7})-(\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z|\+00)?( BC)?$/i;

/** Local time as an instant; null for a year from 1 to 9999, and for infinity. */
export function distantInstantText(
  local: string,
  type: ColumnType,
  timeZone: string,
): string | null {
  return shifted(local, '+00', (near) => instantText(near, type, timeZone).slice(0, -1));
}

/** An instant as local time; null for a year from 1 to 9999, and for infinity. */
export function distantLocalText(
  instant: string,
  type: ColumnType,
  timeZone: string,
): string | null {
  return shifted(instant, '', (near) => localText(`${near}Z`, type, timeZone));
}

/**
 * @param zone what follows the time
 * @param shift moves a date-time of a year from 1 to 9999 (`YYYY-MM-DDTHH:MM:SS`)
 */
function shifted(text: string, zone: string, shift: (near: string) => string): string | null {
  const [matched, digits, day = '', time = '', era = ''] = DISTANT.exec(text) ?? [];
  if (matched === undefined) return null;
  const year = era === '' ? Number(digits) : 1 - Number(digits);
  if (year > 0 && year <= 9999) return null;
  const written = (moved: number, rest: string): string => {
    const shown = String(moved > 0 ? moved : 1 - moved).padStart(4, '0');
    return `${shown}-${rest}${zone}${moved > 0 ? '' : ' BC'}`;
  };
  const plain = written(year, `${day} ${time}`);
  if (isOutermost(plain)) return plain;
  const near = (((year % 400) + 400) % 400) + (year > 0 ? 2400 : 400);
  const moved = shift(`${String(near).padStart(4, '0')}-${day}T${time}`);
  return written(year + Number(moved.slice(0, 4)) - near, moved.slice(5).replace('T', ' '));
}

/** Whether a date-time is of a day that is the same in every time zone. */
function isOutermost(text: string): boolean {
  const { first, last } = OUTERMOST_DAYS;
  const [day = ''] = text.split(' ');
  return day === last || (text.endsWith(' BC') && `${day} BC` === first);
}
