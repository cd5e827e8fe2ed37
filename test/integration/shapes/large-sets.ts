import type { Shape } from './engines.ts';

/** How many entities each dataclass has; `n` counts them from 1. */
export const COUNT = 24_000;

/** More keys than one statement is asked about, as numbers and of two parts; and rows that come slowly. */
export const shape: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TABLE app.whole (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO app.whole SELECT ${COUNT} - n, n FROM generate_series(1, ${COUNT}) n;
CREATE TABLE app.paired (a int, b varchar(20), n int NOT NULL, PRIMARY KEY (a, b));
INSERT INTO app.paired SELECT n % 7, 'k' || n, n FROM generate_series(1, ${COUNT}) n;
CREATE VIEW app.slow AS SELECT n AS id, n FROM generate_series(1, 400) n WHERE pg_sleep(0.05) IS NOT NULL;
`,
  // How keys are parted is the gateway's affair: what differs between engines is tried with fewer.
  sqlserver: [],
  mappings: {
    whole: 'dataclass: Whole\ntable: app.whole\nstamp: none\nattributes: { id: id, n: n }\n',
    paired: 'dataclass: Paired\ntable: app.paired\nstamp: none\nattributes: { a: a, b: b, n: n }\n',
    slow: 'dataclass: Slow\nview: app.slow\nkey: [id]\nattributes: { id: id, n: n }\n',
  },
};
