import type { Shape } from './engines.ts';

/** How many entities an export has: with what each of them holds more than the buffers between two ends of a connection do. */
export const ITEMS = 24_000;

/** The digits of five places, as many rows as there are items or more. */
const digits =
  '(SELECT 0 n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)';
const numbers = `SELECT a.n + 10*b.n + 100*c.n + 1000*d.n + 10000*e.n AS n FROM ${digits} a, ${digits} b, ${digits} c, ${digits} d, ${digits} e`;

/**
 * Many entities, and a BLOB whose view has nothing that tells its versions apart: neither has it a stamp, nor does the engine change anything with
 * each change of a row of a view.
 */
export const brokenOff: Shape = {
  postgres: `CREATE SCHEMA app;
CREATE TABLE app.item (id varchar(40) PRIMARY KEY, nm varchar(1000) NOT NULL);
INSERT INTO app.item SELECT 'item ' || n, repeat('x', 1000) FROM generate_series(1, ${ITEMS}) n;
CREATE TABLE app.doc (id int PRIMARY KEY, content bytea, ver int NOT NULL);
INSERT INTO app.doc VALUES (1, NULL, 1);
CREATE VIEW app.doc_view AS SELECT id, content FROM app.doc;`,
  sqlserver: [
    'CREATE SCHEMA app',
    'CREATE TABLE app.item (id varchar(40) NOT NULL PRIMARY KEY, nm varchar(1000) NOT NULL)',
    `INSERT INTO app.item SELECT 'item ' + CONVERT(varchar(10), n), REPLICATE('x', 1000) FROM (${numbers}) d WHERE n BETWEEN 1 AND ${ITEMS}`,
    'CREATE TABLE app.doc (id int NOT NULL PRIMARY KEY, content varbinary(max), ver int NOT NULL)',
    'INSERT INTO app.doc VALUES (1, NULL, 1)',
    'CREATE VIEW app.doc_view AS SELECT id, content FROM app.doc',
  ],
  mappings: {
    item: 'dataclass: Item\ntable: app.item\nstamp: none\nattributes: { id: id, nm: nm }',
    doc: 'dataclass: Doc\ntable: app.doc\nstamp: { counter: ver }\nattributes: { id: id, content: { column: content, type: blob } }',
    seen: 'dataclass: Seen\nview: app.doc_view\nkey: [id]\nattributes: { id: id, content: { column: content, type: blob } }',
  },
};
