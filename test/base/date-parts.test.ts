import { expect, test } from 'vitest';
import { dayBehind, firstDay, partText } from '../../src/base/date-parts.ts';

const PARTS = ['year', 'quarter', 'month', 'week', 'day'] as const;

test.each([
  // https://en.wikipedia.org/wiki/ISO_week_date
  ['2018-12-31', ['2018', '2018-Q4', '2018-12', '2019-W01']],
  ['2020-02-29', ['2020', '2020-Q1', '2020-02', '2020-W09']],
  ['2020-12-28', ['2020', '2020-Q4', '2020-12', '2020-W53']],
  ['2021-01-03', ['2021', '2021-Q1', '2021-01', '2020-W53']],
  ['2021-01-04', ['2021', '2021-Q1', '2021-01', '2021-W01']],
  ['2005-01-01', ['2005', '2005-Q1', '2005-01', '2004-W53']],
  ['0001-01-01', ['0001', '0001-Q1', '0001-01', '0001-W01']],
  ['9999-12-31', ['9999', '9999-Q4', '9999-12', '9999-W52']],
])('the parts of %s', (day, texts) => {
  const monday = new Date(`${day}T00:00:00Z`);
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
  const week = monday.toISOString().slice(0, 10);
  expect(PARTS.map((part) => partText(part, part === 'week' ? week : day))).toEqual([
    ...texts,
    day,
  ]);
});

test('a day without parts stays as it is', () => {
  const days = ['infinity', '-infinity', '0044-03-15 BC', '10000-01-01'];
  expect(days.map((day) => PARTS.map((part) => partText(part, day)))).toEqual(
    days.map((day) => PARTS.map(() => day)),
  );
});

test('each part begins where the one before ends, and is read as it is written', () => {
  for (const part of PARTS) {
    let day = part === 'week' ? '1998-12-28' : '1999-01-01';
    while (day < '2032') {
      const text = partText(part, day);
      expect([part, text, firstDay(part, text)]).toEqual([part, text, day]);
      const next = dayBehind(part, day);
      expect(partText(part, next) > text).toBe(true);
      day = next;
    }
  }
});

test('the year 10000 is behind the last part', () => {
  const last = ['9999-01-01', '9999-10-01', '9999-12-01', '9999-12-27', '9999-12-31'];
  expect(PARTS.map((part, index) => dayBehind(part, last[index] ?? ''))).toEqual(
    PARTS.map(() => '10000-01-01'),
  );
});

test.each([
  ['year', ['26', '2026-01', '0000', 'x']],
  ['quarter', ['2026-Q5', '2026', '2026-1']],
  ['month', ['2026-13', '2026-3', '2026-00', '2026-03-01']],
  ['week', ['2026-W54', '2021-W53', '2026-W00', '2026-W1']],
  ['day', ['2026-02-30', '2026-02', '2026-2-3']],
] as const)('not a %s', (part, texts) => {
  expect(texts.map((text) => firstDay(part, text))).toEqual(texts.map(() => null));
});
