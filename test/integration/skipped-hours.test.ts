import { expect, test } from 'vitest';
import { onEngines, type Shape } from './shapes/engines.ts';

/** Local times around the hour that the clocks of Berlin skip, and one in it, as programs without time zones write them. */
const times = ['01:30:00', '02:15:00', '02:30:00', '03:15:00', '03:30:00'].map(
  (time, index) => `(${index + 1}, '2024-03-31 ${time}')`,
);

const shape: Shape = {
  postgres: `CREATE SCHEMA app;
CREATE TABLE app.shift (id int PRIMARY KEY, at timestamp, coarse timestamp(0));
INSERT INTO app.shift (id, at) VALUES ${times.join(', ')}; UPDATE app.shift SET coarse = at;`,
  sqlserver: [
    'CREATE SCHEMA app',
    'CREATE TABLE app.shift (id int NOT NULL PRIMARY KEY, at datetime2(7) NULL, coarse datetime NULL)',
    `INSERT INTO app.shift (id, at) VALUES ${times.join(', ')}; UPDATE app.shift SET coarse = at`,
  ],
  mappings: {
    shift: `dataclass: Shift
table: app.shift
stamp: hash
`,
  },
  settings: { timeZone: 'Europe/Berlin' },
};

onEngines('local times in an hour that clocks skip', shape, (served) => {
  test.each([
    ['at = 2024-03-31T02:30:00', [3]],
    ['at < 2024-03-31T02:30:00', [1, 2]],
    ['at >= 2024-03-31T02:20:00 AND at < 2024-03-31T03:20:00', [3, 4]],
    ['at != 2024-03-31T02:30:00', [1, 2, 4, 5]],
    ['at in [2024-03-31T02:30:00, 2024-03-31T03:30:00]', [3, 5]],
    ['at in [2024-03-31T02:15:00, 2024-03-31T01:30:00Z]', [2, 5]],
    ['coarse = 2024-03-31T02:30:00', [3]],
    ['coarse > 2024-03-31T02:29:59.999', [3, 4, 5]],
    ['at = 2024-03-31T01:30:00Z', [5]],
    ['at = 2024-03-31T02:30:00+01:00', [5]],
  ])('compare as they are written: %s', async (filter, expected) => {
    const quoted = encodeURIComponent(`"${filter}"`);
    const answer = await served.get(`Shift?$filter=${quoted}&$attributes=id&$asArray=true`);
    expect(answer).toEqual([200, expected.map((id) => expect.objectContaining({ id }) as object)]);
  });
});
