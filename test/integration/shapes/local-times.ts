import { mapped, type Shape } from './engines.ts';
import { inBothLanguages } from './languages.ts';

/** Local times around the hour that the clocks of Berlin skip, and around the one that they repeat, as programs without time zones write them. */
const statements = [
  'CREATE TABLE app.shift (id int NOT NULL PRIMARY KEY, at FINE_TYPE NULL, coarse COARSE_TYPE NULL)',
  `INSERT INTO app.shift (id, at) VALUES (1, '2024-03-31T01:30:00'), (2, '2024-03-31T02:15:00'), (3, '2024-03-31T02:30:00'), (4, '2024-03-31T03:15:00'),
    (5, '2024-03-31T03:30:00'), (11, '2024-10-27T01:59:59'), (12, '2024-10-27T02:00:00'), (13, '2024-10-27T02:30:00'), (14, '2024-10-27T02:59:59'),
    (15, '2024-10-27T03:00:00')`,
  'UPDATE app.shift SET coarse = at',
];

export const shape: Shape = {
  ...inBothLanguages(statements, {
    FINE_TYPE: ['timestamp', 'datetime2(7)'],
    COARSE_TYPE: ['timestamp(0)', 'datetime'],
  }),
  mappings: mapped('shift: {dataclass: Shift, table: app.shift, stamp: hash}'),
  settings: { timeZone: 'Europe/Berlin' },
};
