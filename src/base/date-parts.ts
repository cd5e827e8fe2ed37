/** The parts of dates by which entities are grouped (DECISIONS, "`$groupby`"), from the longest to the shortest. */
export const DATE_PARTS = ['year', 'quarter', 'month', 'week', 'day', 'hour'] as const;

export type DatePart = (typeof DATE_PARTS)[number];

/** A part that is a number of days. */
export type DayPart = Exclude<DatePart, 'hour'>;

const DAY = 86_400_000;

/** A date of the years 1 to 9999. */
const ISO_DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Writes the part that begins on a day, `2026-03-01`, as text that sorts: `2026`, `2026-Q1`, `2026-03`, `2026-W09`. Other texts, such as `infinity`, stay as they are. */
export function partText(part: DayPart, day: string): string {
  const [matched, year = '', month = ''] = ISO_DATE.exec(day) ?? [];
  if (matched === undefined) return day;
  switch (part) {
    case 'year':
      return year;
    case 'quarter':
      return `${year}-Q${Math.ceil(Number(month) / 3)}`;
    case 'month':
      return `${year}-${month}`;
    case 'week': {
      // A week belongs to the year of its Thursday (ISO 8601).
      const thursday = Date.parse(day) + 3 * DAY;
      const [weekYear = ''] = isoDay(thursday).split('-');
      const week = Math.floor((thursday - Date.parse(`${weekYear}-01-01`)) / DAY / 7) + 1;
      return `${weekYear}-W${twoDigits(week)}`;
    }
    case 'day':
      return day;
  }
}

/** How the texts of parts are written. */
const FORMS: Readonly<Record<DayPart, RegExp>> = {
  year: /^(\d{4})$/,
  quarter: /^(\d{4})-?Q([1-4])$/i,
  month: /^(\d{4})-(0[1-9]|1[0-2])$/,
  week: /^(\d{4})-?W(0[1-9]|[1-4]\d|5[0-3])$/i,
  day: ISO_DATE,
};

/** The first day of a part that {@link partText} has written, `2026-03-01`; null for another text. */
export function firstDay(part: DayPart, text: string): string | null {
  const [matched, year = '', number = '1'] = FORMS[part].exec(text.trim()) ?? [];
  if (matched === undefined || year === '0000') return null;
  switch (part) {
    case 'year':
      return `${year}-01-01`;
    case 'quarter':
      return `${year}-${twoDigits(Number(number) * 3 - 2)}-01`;
    case 'month':
      return `${year}-${number}-01`;
    case 'week': {
      // The fourth of January is in the first week.
      const fourth = Date.parse(`${year}-01-04`);
      const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY;
      const day = isoDay(monday + (Number(number) - 1) * 7 * DAY);
      return partText('week', day) === `${year}-W${number}` ? day : null;
    }
    case 'day':
      return isoDay(Date.parse(matched)) === matched ? matched : null;
  }
}

/** The first day behind a part that begins on a day; behind the year 9999 that is `10000-01-01`. */
export function dayBehind(part: DayPart, first: string): string {
  const at = new Date(Date.parse(first));
  if (part === 'week' || part === 'day') at.setUTCDate(at.getUTCDate() + (part === 'week' ? 7 : 1));
  else at.setUTCMonth(at.getUTCMonth() + { year: 12, quarter: 3, month: 1 }[part]);
  return at.getUTCFullYear() > 9999 ? '10000-01-01' : isoDay(at.getTime());
}

/** An example of a part's text, for messages. */
export const PART_EXAMPLES: Readonly<Record<DatePart, string>> = {
  year: '2026',
  quarter: '2026-Q1',
  month: '2026-03',
  week: '2026-W09',
  day: '2026-03-01',
  hour: '2026-03-01T14',
};

function isoDay(time: number): string {
  return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 10);
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
