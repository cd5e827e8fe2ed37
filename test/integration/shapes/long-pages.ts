import type { Shape } from './engines.ts';

/** How many rows each table has: those of some slices of 500. */
export const ROWS = 1300;

/** Makes rows so long that slices stay short. */
const PAD = 2100;

/** Tables whose keys and indexes long pages begin their slices by. */
const postgres = `
CREATE SCHEMA long;
SET search_path TO long;
CREATE TABLE item (id int PRIMARY KEY, a int, b varchar(20), pad varchar(4000) NOT NULL, v int NOT NULL);
INSERT INTO item SELECT n * 3, nullif(n % 9, 0), CASE WHEN n % 5 > 0 THEN 'b' || n % 400 END, repeat('x', ${PAD}), n FROM generate_series(1, ${ROWS}) n;
CREATE UNIQUE INDEX item_a ON item (a, id);
CREATE UNIQUE INDEX item_b ON item (b, a, id);
CREATE UNIQUE INDEX item_v ON item (v, id);
CREATE TABLE part (id int PRIMARY KEY, item_id int NOT NULL REFERENCES item);
INSERT INTO part SELECT n, 3 * (n % 40 + 1) FROM generate_series(1, 200) n;
CREATE TABLE pair (a int, b varchar(10), pad varchar(4000) NOT NULL, v int NOT NULL, PRIMARY KEY (a, b));
INSERT INTO pair SELECT n / 550, 'b' || n, repeat('x', ${PAD}), n FROM generate_series(1, ${ROWS}) n;
CREATE TABLE line (a int, b smallint, c int, v int NOT NULL, PRIMARY KEY (a, b, c));
INSERT INTO line SELECT n / 7, n % 7 / 2, n % 2, n FROM generate_series(1, ${ROWS}) n;
CREATE TABLE word (code varchar(20) PRIMARY KEY, v int NOT NULL);
INSERT INTO word SELECT CASE n % 4 WHEN 0 THEN 'ä' WHEN 1 THEN 'A' WHEN 2 THEN 'a' ELSE '-' END || md5(n::text)::varchar(8), n FROM generate_series(1, ${ROWS}) n;
CREATE TABLE padded (code char(8) PRIMARY KEY, v int NOT NULL);
INSERT INTO padded SELECT 'c' || n, n FROM generate_series(1, ${ROWS}) n;
CREATE TABLE uid (u uuid PRIMARY KEY, v int NOT NULL);
INSERT INTO uid SELECT md5(n::text)::uuid, n FROM generate_series(1, ${ROWS}) n;
CREATE TABLE day (d date, n int, v int NOT NULL, PRIMARY KEY (d, n));
INSERT INTO day SELECT DATE '1999-12-01' + n / 30, n, n FROM generate_series(1, ${ROWS}) n;
CREATE TABLE moment (t timestamp PRIMARY KEY, v int NOT NULL);
INSERT INTO moment SELECT TIMESTAMP '1999-12-01' + n * INTERVAL '1 hour', n FROM generate_series(1, ${ROWS}) n;
CREATE TABLE amount (n decimal(12, 2) PRIMARY KEY, v int NOT NULL);
INSERT INTO amount SELECT n * 0.25 - 100, n FROM generate_series(1, ${ROWS}) n;
`;

const TEN = '(VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))';

/** Numbers as `x.n`. */
const NUMBERS = `(SELECT 1 + a.d + b.d * 10 + c.d * 100 + d.d * 1000 AS n
  FROM ${TEN} a(d) CROSS JOIN ${TEN} b(d) CROSS JOIN ${TEN} c(d) CROSS JOIN ${TEN} d(d)) x WHERE x.n <= ${ROWS}`;

function mapping(dataclass: string, key: string): string {
  return `
dataclass: ${dataclass}
table: long.${dataclass.toLowerCase()}
key: ${key}
stamp: hash
`;
}

/** Of each table a dataclass that is named like it. */
export const longPages: Shape = {
  postgres,
  sqlserver: [
    'CREATE SCHEMA long',
    `CREATE TABLE long.item (id int PRIMARY KEY, a int NULL, b varchar(20) NULL, pad varchar(4000) NOT NULL, v int NOT NULL);
     CREATE TABLE long.pair (a int, b varchar(10), pad varchar(4000) NOT NULL, v int NOT NULL, PRIMARY KEY (a, b));
     CREATE TABLE long.line (a int, b smallint, c int, v int NOT NULL, PRIMARY KEY (a, b, c));
     CREATE TABLE long.word (code nvarchar(20) PRIMARY KEY, v int NOT NULL);
     CREATE TABLE long.padded (code char(8) PRIMARY KEY, v int NOT NULL);
     CREATE TABLE long.uid (u uniqueidentifier PRIMARY KEY, v int NOT NULL);
     CREATE TABLE long.day (d date, n int, v int NOT NULL, PRIMARY KEY (d, n));
     CREATE TABLE long.moment (t datetime2 PRIMARY KEY, v int NOT NULL);
     CREATE TABLE long.amount (n decimal(12, 2) PRIMARY KEY, v int NOT NULL)`,
    `CREATE UNIQUE INDEX item_a ON long.item (a, id);
     CREATE UNIQUE INDEX item_b ON long.item (b, a, id);
     CREATE UNIQUE INDEX item_v ON long.item (v, id);
     CREATE TABLE long.part (id int PRIMARY KEY, item_id int NOT NULL CONSTRAINT part_item_id_fkey REFERENCES long.item (id))`,
    `INSERT INTO long.item SELECT x.n * 3, NULLIF(x.n % 9, 0), CASE WHEN x.n % 5 > 0 THEN CONCAT('b', x.n % 400) END, REPLICATE('x', ${PAD}), x.n FROM ${NUMBERS}`,
    `INSERT INTO long.part SELECT x.n, 3 * (x.n % 40 + 1) FROM ${NUMBERS} AND x.n <= 200`,
    `INSERT INTO long.pair SELECT x.n / 550, CONCAT('b', x.n), REPLICATE('x', ${PAD}), x.n FROM ${NUMBERS}`,
    `INSERT INTO long.line SELECT x.n / 7, x.n % 7 / 2, x.n % 2, x.n FROM ${NUMBERS}`,
    `INSERT INTO long.word SELECT CONCAT(CASE x.n % 4 WHEN 0 THEN N'ä' WHEN 1 THEN N'A' WHEN 2 THEN N'a' ELSE N'-' END, (x.n * 7919) % 10007), x.n FROM ${NUMBERS}`,
    `INSERT INTO long.padded SELECT CONCAT('c', x.n), x.n FROM ${NUMBERS}`,
    `INSERT INTO long.uid SELECT NEWID(), x.n FROM ${NUMBERS}`,
    `INSERT INTO long.day SELECT DATEADD(day, x.n / 30, '1999-12-01'), x.n, x.n FROM ${NUMBERS}`,
    `INSERT INTO long.moment SELECT DATEADD(hour, x.n, '1999-12-01'), x.n FROM ${NUMBERS}`,
    `INSERT INTO long.amount SELECT x.n * 0.25 - 100, x.n FROM ${NUMBERS}`,
  ],
  mappings: {
    item: `${mapping('Item', '[id]').trimEnd()}
relations: { parts: { inverse: Part.item } }
`,
    part: `${mapping('Part', '[id]').trimEnd()}
relations: { item: { to: Item, foreignKey: part_item_id_fkey } }
`,
    pair: mapping('Pair', '[a, b]'),
    line: mapping('Line', '[a, b, c]'),
    word: mapping('Word', '[code]'),
    padded: mapping('Padded', '[code]'),
    uid: mapping('Uid', '[u]'),
    day: mapping('Day', '[d, n]'),
    moment: mapping('Moment', '[t]'),
    amount: mapping('Amount', '[n]'),
  },
};
