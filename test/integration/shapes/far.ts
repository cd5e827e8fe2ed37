import type { Shape } from './engines.ts';

/** Tables of 600 rows with keys of many kinds, that pages far in are read of. */
const postgres = `
CREATE SCHEMA far;
SET search_path TO far;
CREATE TABLE owner (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO owner SELECT n, 'Owner ' || n FROM generate_series(1, 50) n;
CREATE TABLE item (id int PRIMARY KEY, owner_id int REFERENCES owner, v text);
INSERT INTO item SELECT n * 3, nullif(n % 51, 0), 'v' || n FROM generate_series(1, 600) n;
CREATE TABLE word (code varchar(20) PRIMARY KEY, v int);
INSERT INTO word SELECT CASE n % 4 WHEN 0 THEN 'ä' WHEN 1 THEN 'A' WHEN 2 THEN 'a' ELSE ' ' END || md5(n::text)::varchar(8), n FROM generate_series(1, 600) n;
CREATE TABLE padded (code char(8) PRIMARY KEY, v int);
INSERT INTO padded SELECT 'c' || n, n FROM generate_series(1, 600) n;
CREATE TABLE uid (u uuid PRIMARY KEY, v int);
INSERT INTO uid SELECT md5(n::text)::uuid, n FROM generate_series(1, 600) n;
CREATE TABLE pair (b varchar(10), a int, v int, PRIMARY KEY (a, b));
INSERT INTO pair SELECT 'b' || n % 7, n / 7, n FROM generate_series(1, 600) n;
CREATE TABLE spot (id int, k int, v int, PRIMARY KEY (id, k)) PARTITION BY RANGE (k);
CREATE TABLE spot_1 PARTITION OF spot FOR VALUES FROM (0) TO (5);
CREATE TABLE spot_2 PARTITION OF spot FOR VALUES FROM (5) TO (10);
INSERT INTO spot SELECT n / 3, n % 10, n FROM generate_series(1, 600) n;
CREATE TABLE entry (id int PRIMARY KEY, v int);
CREATE TABLE entry_old () INHERITS (entry);
INSERT INTO entry SELECT n, n FROM generate_series(1, 300) n;
INSERT INTO entry_old SELECT n + 300, n FROM generate_series(1, 300) n;
CREATE TABLE code (c varchar(20) NOT NULL, v int);
CREATE UNIQUE INDEX code_c ON code (c COLLATE "C");
INSERT INTO code SELECT 'c' || n, n FROM generate_series(1, 600) n;
CREATE TABLE price (m money PRIMARY KEY, v int);
INSERT INTO price SELECT n::money, n FROM generate_series(1, 600) n;
CREATE VIEW shown AS SELECT id, v FROM item;
ANALYZE;
`;

function mapping(dataclass: string, table: string, key: string): string {
  return `
dataclass: ${dataclass}
table: far.${table}
key: ${key}
stamp: hash
`;
}

const TEN = '(VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))';

/** Of each table a dataclass that is named like it. */
export const far: Shape = {
  postgres,
  sqlserver: [
    `CREATE SCHEMA far`,
    `CREATE TABLE far.item (id int PRIMARY KEY, v nvarchar(20) NOT NULL);
     CREATE TABLE far.pair (b varchar(10) NOT NULL, a int NOT NULL, v int NOT NULL, PRIMARY KEY (a, b));
     INSERT INTO far.item SELECT x.n * 3, CONCAT('v', x.n)
       FROM (SELECT 1 + a.d + b.d * 10 + c.d * 100 AS n FROM ${TEN} a(d) CROSS JOIN ${TEN} b(d) CROSS JOIN ${TEN} c(d)) x
       WHERE x.n <= 600;
     INSERT INTO far.pair SELECT CONCAT('b', id % 7), id / 7, id FROM far.item`,
  ],
  mappings: {
    item: mapping('Item', 'item', '[id]'),
    pair: mapping('Pair', 'pair', '[a, b]'),
  },
};

/** With what PostgreSQL alone has. */
export const farOnPostgres: Shape = {
  postgres,
  sqlserver: [],
  mappings: {
    owner: mapping('Owner', 'owner', '[id]'),
    item: `${mapping('Item', 'item', '[id]').trimEnd()}
relations: { owner: { to: Owner, foreignKey: item_owner_id_fkey } }
`,
    word: mapping('Word', 'word', '[code]'),
    padded: mapping('Padded', 'padded', '[code]'),
    uid: mapping('Uid', 'uid', '[u]'),
    pair: mapping('Pair', 'pair', '[a, b]'),
    turned: mapping('Turned', 'pair', '[b, a]'),
    spot: mapping('Spot', 'spot', '[id, k]'),
    entry: mapping('Entry', 'entry', '[id]').replace('key: [id]', 'children: true'),
    code: mapping('Code', 'code', '[c]'),
    price: mapping('Price', 'price', '[m]'),
    shown: mapping('Shown', 'shown', '[id]').replace('table:', 'view:'),
    some: `${mapping('Some', 'item', '[id]').trimEnd()}
where: id > 30
`,
  },
};
