import type { ColumnType } from '../../schema/types.ts';
import type { Reader } from '../ir/statement.ts';
import { isoTimestamp, quoted, reader } from '../readers.ts';
import { instantText, localText, OUTERMOST_DAYS } from '../local-time.ts';

/**
 * Instants and local times of PostgreSQL. Years that no other engine has are written as PostgreSQL writes them: `0044-03-15 12:00:00 BC`, with
 * `+00` before the era for an instant. They are converted by way of a year from 1 to 9999: the calendar and the changes of clocks repeat after
 * 400 years, and before Christ clocks show solar time all year.
 */

/** A local time as it is stored, as an instant; infinity as it is. */
export function storedInstant(stored: string, type: ColumnType, timeZone: string): string {
  const local = stored.replace(' ', 'T');
  if (NEAR.test(local)) return instantText(local, type, timeZone);
  return shifted(local, '+00', (near) => instantText(near, type, timeZone).slice(0, -1)) ?? stored;
}

/** An instant as the local time that is stored; infinity as it is. */
export function storedLocal(instant: string, type: ColumnType, timeZone: string): string {
  if (NEAR.test(instant)) return localText(instant, type, timeZone);
  return shifted(instant, '', (near) => localText(`${near}Z`, type, timeZone)) ?? instant;
}

/** Reads local times that come as they are stored. */
export function localTimeReader(type: ColumnType, timeZone: string): Reader {
  return reader((value) => isoTimestamp(storedInstant(String(value), type, timeZone)), quoted);
}

/** Date-times of the years that other engines have, too. */
const NEAR = /^\d{4}-\d\d-\d\dT[^ ]*$/;

const DISTANT = /^(\d{4,7})-(\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z|\+00)?( BC)?$/i;

/**
 * Moves a date-time; null for a year from 1 to 9999, and for infinity.
 * @param zone what follows the time; @param shift moves a date-time of a year from 1 to 9999 (`YYYY-MM-DDTHH:MM:SS`)
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
