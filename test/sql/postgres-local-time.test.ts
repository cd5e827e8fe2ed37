import { describe, expect, test } from 'vitest';
import type { ColumnType } from '../../src/schema/types.ts';
import { storedInstant, storedLocal } from '../../src/sql/postgres/readers.ts';

const type: ColumnType = { kind: 'timestamp', zoned: false, native: 'timestamp' };

describe('local times of the years that PostgreSQL has alone', () => {
  // As PostgreSQL's AT TIME ZONE has them.
  test.each([
    ['Europe/Berlin', '12024-01-01 12:00:00', '12024-01-01 11:00:00+00'],
    ['Europe/Berlin', '12024-07-01 12:00:00.25', '12024-07-01 10:00:00.25+00'],
    ['Europe/Berlin', '10000-01-01 00:30:00', '9999-12-31 23:30:00+00'],
    ['Europe/Berlin', '0044-03-15 12:00:00 BC', '0044-03-15 11:06:32+00 BC'],
    ['America/New_York', '0001-12-31 23:30:00 BC', '0001-01-01 04:26:02+00'],
    ['America/New_York', '12023-12-31 23:30:00', '12024-01-01 04:30:00+00'],
    ['America/New_York', '4714-11-24 12:00:00 BC', '4714-11-24 12:00:00+00 BC'],
    ['Europe/Berlin', '294276-12-31 12:00:00', '294276-12-31 12:00:00+00'],
    ['Europe/Berlin', 'infinity', 'infinity'],
    ['Europe/Berlin', '2024-01-01 12:00:00', '2024-01-01T11:00:00Z'],
    ['Europe/Berlin', '9999-12-31 23:59:59', '9999-12-31T23:59:59Z'],
  ])('in %s: %s is %s', (timeZone, local, instant) => {
    expect(storedInstant(local, type, timeZone)).toBe(instant);
  });

  test.each([
    ['Europe/Berlin', '0012024-01-01t11:00:00z', '12024-01-01 12:00:00'],
    ['America/New_York', '10000-01-01T05:00:00Z', '10000-01-01 00:00:00'],
    ['Europe/Berlin', '0044-03-15 11:06:32+00 bc', '0044-03-15 12:00:00 BC'],
    ['Europe/Berlin', '-infinity', '-infinity'],
    ['Europe/Berlin', '2024-01-01T11:00:00Z', '2024-01-01T12:00:00'],
  ])('in %s: the instant %s is %s', (timeZone, instant, local) => {
    expect(storedLocal(instant, type, timeZone)).toBe(local);
  });
});
