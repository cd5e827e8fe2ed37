import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../src/database/database.ts';
import { query } from '../../targets/sql.ts';
import { configSchema } from '../../../src/config/config.ts';
import { apiKeyHash, makeApiKey } from '../../../src/access/auth/api-keys.ts';
import { mapped, type Shape } from './engines.ts';

/**
 * The keys of an administrator, of a user who sees everything, of two whose role shows the items of their group, of one who does not see which are
 * deleted, and of one whose items depend on their tags.
 */
export const keys = {
  admin: makeApiKey(),
  all: makeApiKey(),
  north: makeApiKey(),
  south: makeApiKey(),
  few: makeApiKey(),
  tagged: makeApiKey(),
};

const everything = { read: true, create: true, update: true, delete: true };

const keyOf = (name: string, key: string, role: string, claims: object = {}): object => ({
  name,
  hash: `sha256:${apiKeyHash(key)}`,
  roles: [role],
  claims,
});

const { roles, authentication } = configSchema.parse({
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
  authentication: {
    apiKeys: [
      keyOf('admin', keys.admin, 'admin'),
      keyOf('all', keys.all, 'clerk'),
      keyOf('north', keys.north, 'seller', { group: 'north' }),
      keyOf('south', keys.south, 'seller', { group: 'south' }),
      keyOf('few', keys.few, 'visitor'),
      keyOf('tagged', keys.tagged, 'tagger'),
    ],
  },
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

/** Items with their tags, whose deleted keys a trigger keeps; pairs with a key of two parts; notes with the time of their last change. */
export const changing: Shape = {
  postgres: `
    CREATE SCHEMA app;
    SET search_path TO app;
    CREATE TABLE item (id int PRIMARY KEY, grp varchar(10) NOT NULL, n int);
    CREATE TABLE tag (id int PRIMARY KEY, item_id int NOT NULL REFERENCES item ON DELETE CASCADE, word varchar(20));
    CREATE TABLE item_gone (id int NOT NULL PRIMARY KEY);
    CREATE FUNCTION keep_item() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO app.item_gone VALUES (OLD.id) ON CONFLICT (id) DO UPDATE SET id = OLD.id; RETURN NULL; END $$;
    CREATE TRIGGER item_deleted AFTER DELETE ON item FOR EACH ROW EXECUTE FUNCTION keep_item();
    CREATE TABLE pair (a int, b varchar(10), n int, PRIMARY KEY (a, b));
    CREATE TABLE note (id int PRIMARY KEY, word varchar(20), changed_at timestamp(3));
    CREATE TABLE moment (at timestamp PRIMARY KEY, n int);
    CREATE TABLE loose (n int);
    CREATE TABLE place (si smallint, nu numeric(6,2), da date, uu uuid, by bytea, tx varchar(5), PRIMARY KEY (si, nu, da, uu, by, tx));
    INSERT INTO place SELECT 1, i, '2020-01-01', '6f9619ff-8b86-d011-b42d-00c04fc964ff', '\\x0a', 'x' FROM generate_series(1, 2) i;
    INSERT INTO item SELECT i, CASE WHEN i % 2 = 0 THEN 'north' ELSE 'south' END, i FROM generate_series(1, 6) i;
    INSERT INTO tag VALUES (1, 1, 'old'), (2, 1, 'new');
    INSERT INTO pair SELECT i % 3, 'b' || i, i FROM generate_series(1, 9) i;
    INSERT INTO note SELECT i, 'w' || i, now() AT TIME ZONE 'UTC' - INTERVAL '1 hour' FROM generate_series(1, 3) i;`,
  sqlserver: [
    'CREATE SCHEMA app',
    `CREATE TABLE app.item (id int PRIMARY KEY, grp varchar(10) NOT NULL, n int NULL, ver rowversion);
     CREATE TABLE app.tag (id int PRIMARY KEY, item_id int NOT NULL CONSTRAINT tag_item_id_fkey REFERENCES app.item (id) ON DELETE CASCADE, word varchar(20) NULL, ver rowversion);
     CREATE TABLE app.item_gone (id int NOT NULL PRIMARY KEY, ver rowversion);
     CREATE TABLE app.pair (a int, b varchar(10), n int NULL, ver rowversion, PRIMARY KEY (a, b));
     CREATE TABLE app.note (id int PRIMARY KEY, word varchar(20) NULL, changed_at datetime2(3) NULL);
     CREATE TABLE app.moment ([at] datetime2 PRIMARY KEY, n int NULL, ver rowversion);
     CREATE TABLE app.loose (n int NULL);
     CREATE TABLE app.place (si smallint, nu numeric(6,2), da date, uu uniqueidentifier, [by] varbinary(5), tx varchar(5), ver rowversion, PRIMARY KEY (si, nu, da, uu, [by], tx));
     INSERT INTO app.place (si, nu, da, uu, [by], tx) SELECT 1, v.i, '2020-01-01', '6f9619ff-8b86-d011-b42d-00c04fc964ff', 0x0a, 'x' FROM (VALUES (1), (2)) v (i)`,
    `CREATE TRIGGER app.item_deleted ON app.item AFTER DELETE AS BEGIN SET NOCOUNT ON;
       DELETE FROM app.item_gone WHERE id IN (SELECT id FROM deleted);
       INSERT INTO app.item_gone (id) SELECT id FROM deleted END`,
    `INSERT INTO app.item (id, grp, n) VALUES (1, 'south', 1), (2, 'north', 2), (3, 'south', 3), (4, 'north', 4), (5, 'south', 5), (6, 'north', 6);
     INSERT INTO app.tag (id, item_id, word) VALUES (1, 1, 'old'), (2, 1, 'new');
     INSERT INTO app.pair (a, b, n) VALUES (1, 'b1', 1), (2, 'b2', 2), (0, 'b3', 3), (1, 'b4', 4), (2, 'b5', 5), (0, 'b6', 6), (1, 'b7', 7), (2, 'b8', 8), (0, 'b9', 9);
     INSERT INTO app.note SELECT v.i, CONCAT('w', v.i), DATEADD(hour, -1, SYSUTCDATETIME()) FROM (VALUES (1), (2), (3)) v (i)`,
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
  users: Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, { 'api-key': key }])),
  settings: {
    ...(roles === undefined ? {} : { roles }),
    ...(authentication === undefined ? {} : { authentication }),
  },
};
