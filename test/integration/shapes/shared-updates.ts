import type { Shape } from './engines.ts';

/** How many items there are. */
export const ITEMS = 60;

/** A table whose rows many change at once. */
export const shape: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TABLE app.item (id int PRIMARY KEY, name varchar(9) NOT NULL CHECK (name <> 'bad'), code varchar(9) UNIQUE, note text, ver int);
INSERT INTO app.item SELECT n, 'n' || n, 'c' || n, null, 1 FROM generate_series(1, ${ITEMS}) n;`,
  sqlserver: [],
  mappings: { item: 'dataclass: Item\ntable: app.item\nstamp: { counter: ver }\n' },
};
