import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { query } from '../../targets/sql.ts';
import { EventReader } from '../sse.ts';
import { mapped, type Served, type Shape, type Verb } from './engines.ts';
import { inBothLanguages } from './languages.ts';
import { settingsIn, withKeys } from './sample.ts';

const everything = { read: true, create: true, update: true, delete: true };

/**
 * An administrator, a user who sees everything, two whose role shows the items of their group, one who does not see which are deleted, and one whose
 * items depend on their tags.
 */
const { apiKeys, users } = withKeys({
  admin: { roles: ['admin'] },
  all: { roles: ['clerk'] },
  north: { roles: ['seller'], claims: { group: 'north' } },
  south: { roles: ['seller'], claims: { group: 'south' } },
  few: { roles: ['visitor'] },
  tagged: { roles: ['tagger'] },
});

const settings = settingsIn({
  roles: {
    clerk: { dataclasses: { '*': everything } },
    seller: { dataclasses: { Item: { ...everything, where: 'grp = $claims.group' } } },
    visitor: { dataclasses: { Item: { read: true } } },
    tagger: {
      dataclasses: {
        Item: { read: true, where: 'tags.word = new' },
        Pair: { read: true },
        Tag: { read: true },
      },
    },
  },
  authentication: { apiKeys },
});

/** Waits for the transactions of other tests on the same server that hold back what has changed. */
export async function settle(database: Database): Promise<void> {
  const [last, first] =
    database.dialect.name === 'tsql'
      ? ['@@DBTS', 'MIN_ACTIVE_ROWVERSION()'].map((version) => `CONVERT(bigint, ${version})`)
      : ['xmax', 'xmin'].map((end) => `pg_snapshot_${end}(pg_current_snapshot())::text`);
  const read = async (version = ''): Promise<bigint> =>
    BigInt(String((await query(database, `SELECT ${version}`))[0]?.[0]));
  const until = await read(last);
  while ((await read(first)) < until) await sleep(20);
}

const tables = inBothLanguages(
  [
    'CREATE TABLE app.item (id int PRIMARY KEY, grp varchar(10) NOT NULL, n int NULL ROW_VERSION)',
    'CREATE TABLE app.tag (id int PRIMARY KEY, item_id int NOT NULL CONSTRAINT tag_item_id_fkey REFERENCES app.item (id) ON DELETE CASCADE, word varchar(20) NULL ROW_VERSION)',
    'CREATE TABLE app.item_gone (id int NOT NULL PRIMARY KEY ROW_VERSION)',
    'CREATE TABLE app.pair (a int, b varchar(10), n int NULL ROW_VERSION, PRIMARY KEY (a, b))',
    'CREATE TABLE app.note (id int PRIMARY KEY, word varchar(20) NULL, changed_at TIME_TYPE NULL)',
    'CREATE TABLE app.moment ("at" FINE_TYPE PRIMARY KEY, n int NULL ROW_VERSION)',
    'CREATE TABLE app.loose (n int NULL)',
    'CREATE TABLE app.place (si smallint, nu numeric(6,2), da date, uu UUID_TYPE, "by" BYTES_TYPE, tx varchar(5) ROW_VERSION, PRIMARY KEY (si, nu, da, uu, "by", tx))',
    `INSERT INTO app.place (si, nu, da, uu, "by", tx) VALUES (1, 1, '2020-01-01', '6f9619ff-8b86-d011-b42d-00c04fc964ff', 0x0A, 'x'),
      (1, 2, '2020-01-01', '6f9619ff-8b86-d011-b42d-00c04fc964ff', 0x0A, 'x')`,
    "INSERT INTO app.item (id, grp, n) VALUES (1, 'south', 1), (2, 'north', 2), (3, 'south', 3), (4, 'north', 4), (5, 'south', 5), (6, 'north', 6)",
    "INSERT INTO app.tag (id, item_id, word) VALUES (1, 1, 'old'), (2, 1, 'new')",
    "INSERT INTO app.pair (a, b, n) VALUES (1, 'b1', 1), (2, 'b2', 2), (0, 'b3', 3), (1, 'b4', 4), (2, 'b5', 5), (0, 'b6', 6), (1, 'b7', 7), (2, 'b8', 8), (0, 'b9', 9)",
    "INSERT INTO app.note VALUES (1, 'w1', HOUR_AGO), (2, 'w2', HOUR_AGO), (3, 'w3', HOUR_AGO)",
  ],
  {
    ROW_VERSION: ['', ', ver rowversion'],
    TIME_TYPE: ['timestamp(3)', 'datetime2(3)'],
    FINE_TYPE: ['timestamp', 'datetime2'],
    BYTES_TYPE: ['bytea', 'varbinary(5)'],
    HOUR_AGO: [
      "now() AT TIME ZONE 'UTC' - INTERVAL '1 hour'",
      'DATEADD(hour, -1, SYSUTCDATETIME())',
    ],
  },
);

/** Items with their tags, whose deleted keys a trigger keeps; pairs with a key of two parts; notes with the time of their last change. */
export const changing: Shape = {
  postgres: `${tables.postgres};
CREATE FUNCTION app.keep_item() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN INSERT INTO app.item_gone VALUES (OLD.id) ON CONFLICT (id) DO UPDATE SET id = OLD.id; RETURN NULL; END $$;
CREATE TRIGGER item_deleted AFTER DELETE ON app.item FOR EACH ROW EXECUTE FUNCTION app.keep_item();`,
  sqlserver: [
    ...tables.sqlserver,
    `CREATE TRIGGER app.item_deleted ON app.item AFTER DELETE AS BEGIN SET NOCOUNT ON;
       DELETE FROM app.item_gone WHERE id IN (SELECT id FROM deleted);
       INSERT INTO app.item_gone (id) SELECT id FROM deleted END`,
  ],
  mappings: mapped(`
item: {dataclass: Item, table: app.item, changes: {deleted: DeletedItem, keptDays: 30}, relations: {tags: {inverse: Tag.item}}}
tag: {dataclass: Tag, table: app.tag, relations: {item: {to: Item, foreignKey: tag_item_id_fkey}, tagged: {to: Tagged,
  foreignKey: tag_item_id_fkey}}}
gone: {dataclass: DeletedItem, table: app.item_gone}
pair: {dataclass: Pair, table: app.pair}
blind: {dataclass: Blind, table: app.pair, attributes: {a: {column: a, exposed: false}, b: {column: b, exposed: false}}}
tagged: {dataclass: Tagged, table: app.item, attributes: {id: id}, relations: {tags: {inverse: Tag.tagged}}, where: tags.word = new}
note: {dataclass: Note, table: app.note, stamp: hash, changes: {timestamp: changed_at, marginSeconds: 1}}
moment: {dataclass: Moment, table: app.moment}
place: {dataclass: Place, table: app.place}
loose: {dataclass: Loose, table: app.loose, stamp: hash}
still: {dataclass: Still, table: app.pair, changes: false, collection: StillOnes}
`),
  isDocumented: true,
  settle,
  users,
  settings,
};

/** The streams that cases have opened, by their names. */
const streams = new Map<string, EventReader>();

/** How long what transactions of other tests on the same server hold back is waited for. */
const PATIENCE = { timeout: 60_000 };

/** `STREAM first Item,Pair` opens a stream of what changes in some dataclasses, until the end of the case. */
const STREAM: Verb = async ({ gateway }, { text: name, headers = {}, body }) => {
  await settle(gateway.database);
  const path = `/rest/$changes/stream?dataclasses=${body ?? ''}`;
  // Those of the case before may not have left yet.
  const stream = await vi.waitFor(() => EventReader.open(gateway.port, path, headers), PATIENCE);
  onTestFinished(() => stream.close());
  streams.set(name, stream);
  // Where it begins is said at once.
  await expect.poll(() => stream.lastId, PATIENCE).not.toBe('');
  return null;
};

/** `EVENTS first 2` answers the events of a stream since the last call, of which so many are waited for, or its end by `EVENTS first end`. */
const EVENTS: Verb = async (_, { text: name, body }) => {
  const stream = streams.get(name);
  if (stream === undefined) throw new Error(`there is no stream ${name}`);
  const { events } = stream;
  const isThere = (): boolean =>
    body === 'end' ? stream.isEnded : events.length >= Number(body ?? 0);
  await expect.poll(isThere, PATIENCE).toBe(true);
  const told = events.splice(0).map(({ data }) => data);
  const headers = { 'last-id': stream.lastId };
  return { status: 200, headers, text: JSON.stringify(told), body: told };
};

/** Changes as they happen, to four clients at most. */
export const streaming: Shape = {
  ...changing,
  isDocumented: false,
  verbs: { STREAM, EVENTS },
  settings: { ...settings, changes: { pollSeconds: 0.05, maxStreams: 4 } },
};

/** How often the database is asked. */
export function askedOnce(served: Served): void {
  test('asks the database once for all that listen', async () => {
    const names = ['one', 'two', 'three'];
    for (const text of names) {
      await STREAM(served, { text, headers: users['all'], body: 'Pair' });
    }
    const asked = async (n: number): Promise<string> => {
      served.gateway.takeStatements();
      await served.run(`UPDATE app.pair SET n = ${n} WHERE a = 2`);
      for (const text of names) await EVENTS(served, { text, headers: {}, body: '1' });
      const all = served.gateway.takeStatements();
      return all.map((text) => (/^SELECT.*pair/.test(text) ? 'read' : 'look')).join(' ');
    };
    // Streams that began at several times are told together from the first change on.
    await asked(5);
    // Others write to the same server: a look may find that nothing of these has changed.
    expect(await asked(6)).toMatch(/^(?!.*read read).*read/);
  });
}
