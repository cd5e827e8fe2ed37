import { expect, test } from 'vitest';
import { onEngines, saved } from './shapes/engines.ts';
import { shape } from './shapes/stamps.ts';

onEngines('timestamps', shape, (served) => {
  /** A time of the last minute. */
  const now = {
    asymmetricMatch: (text: unknown): boolean =>
      Math.abs(Date.parse(String(text)) - Date.now()) < 60_000,
  };

  test('a timestamp is set by each save, beside a counter', async () => {
    const made = { id: 3, name: 'c', ver: 1, at: now };
    expect(await served.post('Counted', { id: 3, name: 'c' })).toEqual([
      200,
      { ...saved('Counted', '3', made, 1), __TIMESTAMP: now },
    ]);
    for (const __KEY of [1, 2]) {
      const [, read] = await served.get(`Counted(${__KEY})`);
      const { __STAMP } = read as { __STAMP: number };
      expect(await served.post('Counted', { __KEY, __STAMP, name: 'z' })).toMatchObject([
        200,
        { __STATUS: { success: true }, __STAMP: 1, at: now, __TIMESTAMP: now },
      ]);
    }
  });

  test('a date is today in the database’s time zone, a time with an offset is the instant', async () => {
    const today = new Intl.DateTimeFormat('sv', { timeZone: 'America/New_York' }).format();
    expect(await served.post('Dated', { id: 1, name: 'a' })).toMatchObject([200, { onDay: today }]);
    expect(await served.post('Zoned', { id: 1, name: 'a' })).toMatchObject([
      200,
      { at: now, __TIMESTAMP: now },
    ]);
  });
});
