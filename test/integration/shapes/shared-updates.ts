import type { Shape } from './engines.ts';

/** How many items there are. */
export const ITEMS = 60;

/** Tables whose rows many change at once: with a unique column, with a unique expression, with none as yet, with a check that may wait, and with a foreign key. */
export const shape: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TABLE app.item (id int PRIMARY KEY, name varchar(9) NOT NULL CHECK (name <> 'bad'), code varchar(9) UNIQUE, note text, ver int);
INSERT INTO app.item SELECT n, 'n' || n, 'c' || n, null, 1 FROM generate_series(1, ${ITEMS}) n;
CREATE TABLE app.tag (id int PRIMARY KEY, name varchar(9), note text, ver int);
CREATE UNIQUE INDEX ON app.tag (lower(name));
INSERT INTO app.tag SELECT n, 'n' || n, null, 1 FROM generate_series(1, 9) n;
CREATE TABLE app.later (id int PRIMARY KEY, name varchar(9), note text, ver int);
INSERT INTO app.later SELECT n, 'n' || n, null, 1 FROM generate_series(1, 9) n;
CREATE FUNCTION app.waits(name varchar) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF name = 'n5x' THEN PERFORM pg_advisory_xact_lock_shared(778); END IF;
  RETURN true;
END $$;
CREATE TABLE app.checked (id int PRIMARY KEY, name varchar(9) CHECK (app.waits(name)), ver int);
INSERT INTO app.checked SELECT n, 'n' || n, 1 FROM generate_series(1, 9) n;
CREATE TABLE app.led (id int PRIMARY KEY, name varchar(9), later_id int REFERENCES app.later, ver int);
INSERT INTO app.led SELECT n, 'n' || n, null, 1 FROM generate_series(1, 9) n;`,
  sqlserver: [],
  // Whoever waits for a lock waits for longer than a test does.
  lockTimeoutSeconds: 25,
  mappings: {
    item: 'dataclass: Item\ntable: app.item\nstamp: { counter: ver }\n',
    tag: 'dataclass: Tag\ntable: app.tag\nstamp: { counter: ver }\n',
    later: 'dataclass: Later\ntable: app.later\nstamp: { counter: ver }\n',
    checked: 'dataclass: Checked\ntable: app.checked\nstamp: { counter: ver }\n',
    led: 'dataclass: Led\ntable: app.led\nstamp: { counter: ver }\nrelations: {}\n',
  },
};
