/**
 * Values of SQL Server's binary forms as the texts that CONVERT makes of them (styles 23, 121 and 126): no digit is lost, as in the driver's numbers and dates.
 * https://learn.microsoft.com/openspecs/windows_protocols/ms-tds, 2.2.5.5
 */

/** Two digits of each number below 100. */
const TWO = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

/** A decimal. @param units how many of its smallest unit, without sign @param scale how many digits stand behind its point */
export function decimalText(isNegative: boolean, units: number | bigint, scale: number): string {
  const digits = String(units);
  const sign = isNegative && digits !== '0' ? '-' : '';
  if (scale === 0) return sign + digits;
  const padded = digits.length > scale ? digits : digits.padStart(scale + 1, '0');
  const point = padded.length - scale;
  return `${sign}${padded.slice(0, point)}.${padded.slice(point)}`;
}

/** A calendar day by its distance from the first of March of the year 0, which ends each year with the day that leap years add. */
const MARCH_OF_YEAR_0 = 306;
const DAYS_OF_400_YEARS = 146_097;

/** @param days since 0001-01-01 */
export function dateText(days: number): string {
  const since = days + MARCH_OF_YEAR_0;
  const era = Math.floor(since / DAYS_OF_400_YEARS);
  const ofEra = since - era * DAYS_OF_400_YEARS;
  const leapDays =
    Math.floor(ofEra / 1460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / 146_096);
  const yearOfEra = Math.floor((ofEra - leapDays) / 365);
  const ofYear =
    ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const month = Math.floor((5 * ofYear + 2) / 153);
  const day = ofYear - Math.floor((153 * month + 2) / 5) + 1;
  const year = yearOfEra + 400 * era + (month >= 10 ? 1 : 0);
  return `${String(year).padStart(4, '0')}-${TWO[month >= 10 ? month - 9 : month + 3]}-${TWO[day]}`;
}

/** A time of day. @param units since midnight, of which 10 to the power of the scale are a second */
export function timeText(units: number, scale: number): string {
  const perSecond = 10 ** scale;
  const seconds = Math.floor(units / perSecond);
  const minutes = Math.floor(seconds / 60);
  const whole = `${TWO[Math.floor(minutes / 60)]}:${TWO[minutes % 60]}:${TWO[seconds % 60]}`;
  if (scale === 0) return whole;
  return `${whole}.${String(units - seconds * perSecond).padStart(scale, '0')}`;
}

/** Days from 0001-01-01 to 1900-01-01, from which datetime and smalldatetime count. */
const DAYS_TO_1900 = 693_595;

/** A datetime. @param days since 1900-01-01 @param ticks of a three-hundredth of a second since midnight */
export function datetimeText(days: number, ticks: number): string {
  return `${dateText(DAYS_TO_1900 + days)}T${timeText(Math.round((ticks * 10) / 3), 3)}`;
}

/** A smalldatetime. @param days since 1900-01-01 @param minutes since midnight */
export function smalldatetimeText(days: number, minutes: number): string {
  return `${dateText(DAYS_TO_1900 + days)}T${timeText(minutes * 60, 0)}`;
}
