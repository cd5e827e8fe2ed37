import type { Shape } from './engines.ts';

/** Tables large enough that reading one from end to end is dearer than any of its indexes. */
const postgres = `
CREATE TABLE owner (id int PRIMARY KEY, name varchar(40));
INSERT INTO owner SELECT n, 'Owner ' || n FROM generate_series(1, 2000) n;
CREATE INDEX owner_name ON owner (name);

CREATE TYPE size AS ENUM ('XS', 'S', 'M', 'L', 'XL');
CREATE TABLE item (
  id bigint PRIMARY KEY, owner_id int REFERENCES owner, v varchar(20), vp varchar(20), t text, tp text,
  tc text COLLATE "C", n numeric(12,2), ts timestamp, tz timestamptz, d date, u uuid, b bigint, c char(8),
  s size, ip inet, iv interval, r int4range);
INSERT INTO item SELECT n, n % 2000 + 1, code, code, code, code, code, n / 4.0,
  timestamp '2020-01-01' + n * interval '1 minute', timestamptz '2020-01-01Z' + n * interval '1 minute',
  date '1990-01-01' + n, md5(code)::uuid, n * 10000000000, code,
  CASE WHEN n % 1000 = 0 THEN 'XL' ELSE 'S' END::size, inet '10.0.0.0' + n, n * interval '1 minute', int4range(n, n + 2)
  FROM (SELECT n, 'A' || lpad(n::text, 6, '0') AS code FROM generate_series(1, 20000) n) numbered;
CREATE INDEX item_owner ON item (owner_id);
CREATE UNIQUE INDEX item_v ON item (v);
CREATE INDEX item_vp ON item (vp varchar_pattern_ops);
CREATE INDEX item_t ON item (t);
CREATE INDEX item_tp ON item (tp text_pattern_ops);
CREATE INDEX item_tc ON item (tc);
CREATE INDEX item_n ON item (n);
CREATE INDEX item_ts ON item (ts);
CREATE INDEX item_tz ON item (tz);
CREATE INDEX item_d ON item (d);
CREATE INDEX item_u ON item (u);
CREATE INDEX item_b ON item (b);
CREATE INDEX item_c ON item (c);
CREATE INDEX item_s ON item (s);
CREATE INDEX item_ip ON item (ip);
CREATE INDEX item_iv ON item (iv);
CREATE INDEX item_r ON item (r);

CREATE TABLE place (a int, b varchar(10), v text, PRIMARY KEY (a, b));
INSERT INTO place SELECT n / 10, 'B' || n % 10, 'x' FROM generate_series(1, 20000) n;

CREATE TABLE host (ip inet PRIMARY KEY, v text);
INSERT INTO host SELECT ip, 'x' FROM item;

CREATE TABLE tag (code char(8) PRIMARY KEY, v text);
INSERT INTO tag SELECT c, 'x' FROM item;
ANALYZE;
`;

/** Each attribute is named like its column, and each index like its table and column. */
export const indexed: Shape = {
  postgres,
  sqlserver: [],
  mappings: {
    owner: `
dataclass: Owner
table: public.owner
stamp: hash
attributes: { id: id, name: name }
relations: { items: { inverse: Item.owner } }
`,
    item: `
dataclass: Item
table: public.item
stamp: hash
attributes: { id: id, v: v, vp: vp, t: t, tp: tp, tc: tc, n: n, ts: ts, tz: tz, d: d, u: u, b: b, c: c, s: s, ip: ip, iv: iv, r: r }
relations: { owner: { to: Owner, foreignKey: item_owner_id_fkey } }
`,
    place: `
dataclass: Place
table: public.place
stamp: hash
attributes: { a: a, b: b, v: v }
`,
    host: `
dataclass: Host
table: public.host
stamp: hash
attributes: { ip: ip, v: v }
`,
    tag: `
dataclass: Tag
table: public.tag
stamp: hash
attributes: { code: code, v: v }
`,
  },
};
