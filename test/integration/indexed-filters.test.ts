import { expect, test } from 'vitest';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import { plainStatement } from '../../src/sql/ir/statement.ts';
import { mapped, onEngines, type Served, type Shape } from './shapes/engines.ts';

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
const indexed: Shape = {
  postgres,
  sqlserver: [],
  mappings: mapped(`
owner: {dataclass: Owner, table: public.owner, stamp: hash, attributes: {id: id, name: name}, relations: {items: {inverse: Item.owner}}}
item: {dataclass: Item, table: public.item, stamp: hash, attributes: {id: id, v: v, vp: vp, t: t, tp: tp, tc: tc, n: n, ts: ts, tz: tz, d: d, u: u,
  b: b, c: c, s: s, ip: ip, iv: iv, r: r}, relations: {owner: {to: Owner, foreignKey: item_owner_id_fkey}}}
place: {dataclass: Place, table: public.place, stamp: hash, attributes: {a: a, b: b, v: v}}
host: {dataclass: Host, table: public.host, stamp: hash, attributes: {ip: ip, v: v}}
tag: {dataclass: Tag, table: public.tag, stamp: hash, attributes: {code: code, v: v}}
`),
};

/** A node of `EXPLAIN (FORMAT JSON)`. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** How a plan comes to the rows of tables: the indexes that it uses, and `Seq Scan on …` for tables it reads as a whole. */
function scans(node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap(scans);
  const { 'Index Name': index, 'Relation Name': table } = node;
  if (index !== undefined) return [index, ...below];
  return node['Node Type'] === 'Seq Scan' ? [`Seq Scan on ${table ?? ''}`, ...below] : below;
}

/** The scans of each statement that a request runs, planned with the values that it runs with. */
async function scansOf({ gateway }: Served, path: string): Promise<string[][]> {
  gateway.takeCalls();
  const { status, text: body } = await gateway.get(`/rest/${path}`);
  expect([path, status, status === 200 ? '' : body]).toEqual([path, 200, '']);
  const found: string[][] = [];
  for (const { statement, values } of gateway.takeCalls()) {
    const explain = plainStatement(`EXPLAIN (FORMAT JSON) ${statement.text}`);
    const explained = { ...explain, parameters: statement.parameters };
    const { rows } = await gateway.database.run({ statement: explained, values }, gatewayContext);
    const [row] = rows;
    const [{ Plan: plan }] = JSON.parse(String(row?.[0])) as [{ Plan: PlanNode }];
    found.push([...new Set(scans(plan))].sort());
  }
  return found;
}

/** The answers to requests, so many at a time, but for the stamp of the whole database, which tests beside this one change. */
async function answers(
  { gateway }: Served,
  paths: readonly string[],
  atOnce: number,
): Promise<(readonly [status: number, text: string])[]> {
  const answer = async (path: string): Promise<readonly [number, string]> => {
    const { status, text } = await gateway.get(`/rest/${path}`);
    return [status, text.replace(/"__GlobalStamp":\d+/, '')];
  };
  const found: (readonly [number, string])[] = [];
  for (let at = 0; at < paths.length; at += atOnce) {
    found.push(...(await Promise.all(paths.slice(at, at + atOnce).map(answer))));
  }
  return found;
}

/** The `u` of an item: the MD5 sum of its code. */
const uuid = '61633d63-4794-29c0-4a13-8ae2be2f0975';

/** A filter over items, and the indexes that serve it. */
const filters: readonly (readonly [filter: string, ...indexes: string[]])[] = [
  ['v = A000042', 'item_v'],
  ['v IN ["A000042","A000043"]', 'item_v'],
  ['v < A000005', 'item_v'],
  ['vp begin A00004', 'item_vp'],
  ['vp = "A00004@"', 'item_vp'],
  ['t = A000042', 'item_t'],
  ['tp begin A00004', 'item_tp'],
  ['tc begin A00004', 'item_tc'],
  ['n = 12.5', 'item_n'],
  ['n IN [12.5, 13]', 'item_n'],
  ['n < 2.333', 'item_n'],
  ['ts = 2020-01-01T00:42:00Z', 'item_ts'],
  ['ts < 2020-01-01T00:10:00Z', 'item_ts'],
  ['tz < 2020-01-01T00:10:00Z', 'item_tz'],
  ['d = 1990-02-03', 'item_d'],
  [`u = ${uuid}`, 'item_u'],
  ['b = 420000000000', 'item_b'],
  ['c = A000042', 'item_c'],
  ['c < A000005', 'item_c'],
  ['s = XL', 'item_s'],
  ['s > M', 'item_s'],
  ['ip IN ["10.0.0.42", "10.0.0.43/32"]', 'item_ip'],
  ['ip < 10.0.0.50', 'item_ip'],
  ['iv < PT1H', 'item_iv'],
  ['r = "[42,44)"', 'item_r'],
  ['id = 42', 'item_pkey'],
  ['v = A000042 AND n > 1', 'item_v'],
  ['v = A000042 OR t = A000043', 'item_t', 'item_v'],
  ['owner.name = "Owner 42"', 'item_owner', 'owner_name'],
];

/** Other ways to rows. */
const others: readonly (readonly [path: string, ...indexes: string[]])[] = [
  ['Item(42,43,44)', 'item_pkey'],
  ['Place(42;B7,43;B8)', 'place_pkey'],
  ['Host(10.0.0.42,10.0.0.43)', 'host_pkey'],
  ['Tag(A000042,A000043)', 'tag_pkey'],
  ['Item:v(A000042)', 'item_v'],
  ['Owner(42)/items', 'item_owner', 'owner_pkey'],
  ['Owner?$filter="items.v = A000042"', 'item_v', 'owner_pkey'],
];

onEngines('filters by an indexed column', indexed, (served) => {
  test.each(filters)('%s: the page and its count', async (filter, ...indexes) => {
    expect(await scansOf(served, `Item?$filter='${filter}'&$top=1`)).toEqual([indexes, indexes]);
  });

  test.each(others)('%s', async (path, ...indexes) => {
    expect(await scansOf(served, path)).toEqual([indexes]);
  });

  test('are answered together as each is alone', async () => {
    const { gateway } = served;
    const some = Array.from({ length: 40 }, (_, n) => `A${String(n * 7).padStart(6, '0')}`);
    const odd = ['', 'none', 'x'.repeat(1001), 'é"\\{}', 'NULL', "o'clock", 'A000042'];
    const said = (attribute: string, value: unknown, more = ''): string =>
      `Item?$filter=${encodeURIComponent(`"${attribute} = :1"`)}&$params=${encodeURIComponent(JSON.stringify([value]))}${more}`;
    const paths = [
      ...[...some, ...odd].map((value) => said('t', value)),
      ...some.map((value, n) => said('t', value, `&$top=${n % 3}&$skip=${n % 2}`)),
      ...some.map((value) => said('v', value, '&$attributes=n,d,owner.name&$expand=owner')),
      ...[1.126, 'x', null, true, 1e30].map((value) => said('n', value)),
      ...some.map((_, n) => said('owner.name', `Owner ${n}`, '&$top=2')),
      ...some.map((_, n) => said('owner.id', n)),
      ...some.map((_, n) => said('ts', `2020-01-01T00:${10 + (n % 50)}:00Z`)),
    ];
    const alone = await answers(served, paths, 1);
    gateway.takeStatements();
    expect(await answers(served, paths, 20)).toEqual(alone);
    expect(alone.filter(([status]) => status === 200)).toHaveLength(250);
    // On the embedded database nobody knows how many rows they find.
    const shared = gateway.takeStatements().filter((one) => one.includes('WITH ORDINALITY AS k'));
    expect(shared.length > 0).toBe(served.engine === 'postgres');
  });

  test('a page in the order of the key reads no further', async () => {
    const [page] = await scansOf(served, 'Item?$top=10&$orderby=id desc');
    expect(page).toEqual(['item_pkey']);
  });
});
