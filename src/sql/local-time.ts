import type { ColumnType } from '../schema/types.ts';

/** The first and the last day of a type, legacy data's "never" and "always": the same in UTC and local time, as an offset may lead out of the type. */
export function edgeDaysOf(type: ColumnType): readonly [first: string, last: string] {
  const { first, last } = (type.kind === 'timestamp' ? type.coarse : undefined) ?? {
    first: '0001-01-01',
    last: '9999-12-31',
  };
  return [first.slice(0, 10), last.slice(0, 10)];
}

/** The first and the last day of PostgreSQL's timestamp (https://www.postgresql.org/docs/current/datatype-datetime.html). */
export const OUTERMOST_DAYS = { first: '4714-11-24 BC', last: '294276-12-31' } as const;

/** The edge days of a type of PostgreSQL as dates of SQL. */
export function edgeDays(type: ColumnType): string {
  return [...edgeDaysOf(type), OUTERMOST_DAYS.first, OUTERMOST_DAYS.last]
    .map((day) => `'${day}'`)
    .join(', ');
}

// Converts by ICU's tables, as PostgreSQL does (https://www.postgresql.org/docs/current/datetime-invalid-input.html): of two equal local times,
// when clocks go back, the second is meant; a time that does not exist, when they go forward, has the offset before the change.

const DAY = 86_400_000;

/** An instant (`…Z`) as local time without offset, with all its digits; a local time that clocks skip (`…z`) as it is. */
export function localText(instant: string, type: ColumnType, timeZone: string): string {
  const text = instant.slice(0, -1);
  if (isUtc(timeZone) || isOnEdge(text, type) || instant.endsWith('z')) return text;
  return shifted(text, offsetAt(millisecondsOf(text), timeZone));
}

/** Local time without offset as an instant (`…Z`). */
export function instantText(local: string, type: ColumnType, timeZone: string): string {
  if (isUtc(timeZone) || isOnEdge(local, type)) return `${local}Z`;
  return `${shifted(local, -offsetOfLocal(millisecondsOf(local), timeZone))}Z`;
}

/** The first instant (`…Z`) at which clocks show a local time, which they may show twice when they go back. */
export function firstInstant(local: string, type: ColumnType, timeZone: string): string {
  if (isUtc(timeZone) || isOnEdge(local, type) || local.startsWith('10000')) return `${local}Z`;
  const at = millisecondsOf(local);
  const before = offsetAt(at - DAY, timeZone);
  return offsetAt(at - before, timeZone) === before
    ? `${shifted(local, -before)}Z`
    : instantText(local, type, timeZone);
}

/** Whether an instant comes back as what it is once it was written as local time. */
export function isHeld(instant: string, type: ColumnType, timeZone: string): boolean {
  return instantText(localText(instant, type, timeZone), type, timeZone) === instant;
}

/** Between these years {@link offsetsOf} looks for changes: before, clocks followed the sun, and behind, nobody knows. */
const [FIRST_YEAR, LAST_YEAR] = [1900, 2050];

/** From when on a time zone's clocks were, or will be, how many seconds ahead of UTC; `since` is UTC, `2026-03-29T01:00:00`. */
export function offsetsOf(
  timeZone: string,
): { readonly since: string; readonly seconds: number }[] {
  const known = offsetLists.get(timeZone);
  if (known !== undefined) return known;
  let at = Date.UTC(FIRST_YEAR, 0);
  let offset = offsetAt(at, timeZone);
  const list = [{ since: '0001-01-01T00:00:00', seconds: offset / 1000 }];
  for (; at < Date.UTC(LAST_YEAR, 0); at += 7 * DAY) {
    const next = offsetAt(at + 7 * DAY, timeZone);
    if (next === offset) continue;
    let [before, behind] = [at, at + 7 * DAY];
    while (behind - before > 1000) {
      const middle = before + Math.floor((behind - before) / 2000) * 1000;
      if (offsetAt(middle, timeZone) === offset) before = middle;
      else behind = middle;
    }
    list.push({ since: new Date(behind).toISOString().slice(0, 19), seconds: next / 1000 });
    offset = next;
  }
  offsetLists.set(timeZone, list);
  return list;
}

const offsetLists = new Map<string, ReturnType<typeof offsetsOf>>();

/** How many seconds a time zone's clocks are ahead of UTC now. */
export function offsetNow(timeZone: string): number {
  return isUtc(timeZone) ? 0 : offsetAt(Date.now(), timeZone) / 1000;
}

/** Whether a time zone's clocks always show UTC. */
export function isUtc(timeZone: string): boolean {
  return /^(?:Etc\/)?(?:UTC|GMT|Universal|Zulu)$/i.test(timeZone);
}

function isOnEdge(text: string, type: ColumnType): boolean {
  return edgeDaysOf(type).includes(text.slice(0, 10));
}

/** A date-time of whole seconds in milliseconds, as if it were UTC. */
function millisecondsOf(text: string): number {
  return Date.parse(`${text.slice(0, 19)}Z`);
}

function shifted(text: string, offset: number): string {
  const whole = new Date(millisecondsOf(text) + offset).toISOString().slice(0, 19);
  return whole + text.slice(19);
}

/** Around a change of clocks, a local time may fit either offset, both, or none. */
function offsetOfLocal(local: number, timeZone: string): number {
  const before = offsetAt(local - DAY, timeZone);
  const after = offsetAt(local + DAY, timeZone);
  return before === after || offsetAt(local - after, timeZone) === after ? after : before;
}

/** The offsets at the beginnings of days, by time zone: most days have one offset, and computing it takes microseconds. */
const daysOf = new Map<string, Map<number, number>>();

/** How many days' offsets are kept: a century's. */
const MOST_DAYS = 36_525;

function offsetAt(instant: number, timeZone: string): number {
  const day = Math.floor(instant / DAY);
  const first = offsetOfDay(day, timeZone);
  return first === offsetOfDay(day + 1, timeZone) ? first : readOffset(instant, timeZone);
}

function offsetOfDay(day: number, timeZone: string): number {
  let days = daysOf.get(timeZone);
  if (days === undefined || days.size > MOST_DAYS) {
    days = new Map();
    daysOf.set(timeZone, days);
  }
  const known = days.get(day);
  if (known !== undefined) return known;
  const offset = readOffset(day * DAY, timeZone);
  days.set(day, offset);
  return offset;
}

const FIRST = Date.parse('0001-01-03T00:00:00Z');
const LAST = Date.parse('9999-12-30T00:00:00Z');
const formats = new Map<string, Intl.DateTimeFormat>();

/** Outside of the years 1 to 9999 the offset is that of their first or last days, so that there is no era and no fifth digit. */
function readOffset(instant: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formats.set(timeZone, format);
  }
  const at = Math.min(Math.max(instant, FIRST), LAST);
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const part = (name: Intl.DateTimeFormatPartTypes): string => parts.get(name) ?? '';
  const date = `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
  const local = Date.parse(`${date}T${part('hour')}:${part('minute')}:${part('second')}Z`);
  return local - Math.floor(at / 1000) * 1000;
}
