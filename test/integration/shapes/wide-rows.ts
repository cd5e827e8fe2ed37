import type { Shape } from './engines.ts';

/** How many entities there are, of a million characters each. */
export const WIDE = 140;

/** Entities that hold so much that a page of them is more than a process should hold at once. */
export const wideRows: Shape = {
  postgres: `CREATE SCHEMA app;
CREATE VIEW app.wide AS SELECT n AS id, repeat('x', 1000000) AS tx FROM generate_series(1, ${WIDE}) n;`,
  sqlserver: [
    'CREATE SCHEMA app',
    'CREATE TABLE app.num (id int NOT NULL PRIMARY KEY)',
    `INSERT INTO app.num VALUES ${Array.from({ length: WIDE }, (_, at) => `(${at + 1})`).join(', ')}`,
    "CREATE VIEW app.wide AS SELECT id, REPLICATE(CONVERT(varchar(max), 'x'), 1000000) AS tx FROM app.num",
  ],
  mappings: {
    wide: 'dataclass: Wide\nview: app.wide\nkey: [id]\nstamp: none\nattributes: { id: id, tx: tx }',
  },
};
