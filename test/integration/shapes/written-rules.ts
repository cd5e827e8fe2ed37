import { mapped, type Shape } from './engines.ts';

/** Constraints, foreign keys and views of both languages. */
const tables = [
  'CREATE TABLE app.owner (id int NOT NULL PRIMARY KEY, code varchar(10) NOT NULL CONSTRAINT uq_owner_code UNIQUE, name varchar(20) NULL)',
  'CREATE TABLE app.unmapped (id int NOT NULL PRIMARY KEY)',
  'CREATE TABLE app.hidden (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, secret int NOT NULL)',
  `CREATE TABLE app.thing (id int NOT NULL PRIMARY KEY, name varchar(10) NULL, a int NULL, b int NULL, hidden int DEFAULT 5 NULL,
    other int NULL CONSTRAINT fk_thing_unmapped REFERENCES app.unmapped (id),
    CONSTRAINT ck_thing_a CHECK (a > 0), CONSTRAINT ck_thing_hidden CHECK (hidden < 10 OR a IS NULL OR a < 100),
    CONSTRAINT uq_thing UNIQUE (a, b))`,
  'CREATE TABLE app.pair (x int NOT NULL, y int NULL, id int NOT NULL PRIMARY KEY, CONSTRAINT uq_pair UNIQUE (x))',
  `CREATE TABLE app.owned (id int NOT NULL PRIMARY KEY, owner_code varchar(10) NOT NULL
      CONSTRAINT fk_owned_owner REFERENCES app.owner (code), loose int NULL, must int NOT NULL DEFAULT 1)`,
  `CREATE TABLE app.region (region int NOT NULL, no int NOT NULL, name varchar(10) NULL, PRIMARY KEY (region, no))`,
  `CREATE TABLE app.site (region int NOT NULL, id int NOT NULL, no int NULL, PRIMARY KEY (region, id),
      CONSTRAINT fk_site_region FOREIGN KEY (region, no) REFERENCES app.region (region, no))`,
  'CREATE TABLE app.node (id int NOT NULL PRIMARY KEY, parent int NULL CONSTRAINT fk_node REFERENCES app.node (id))',
  `CREATE TABLE app.listed (id int NOT NULL PRIMARY KEY, state varchar(10) DEFAULT 'new' NOT NULL CHECK (state IN ('new', 'done', 'it''s off')),
    grade int NULL CHECK (grade IN (1, 2, -3)), size varchar(5) NULL CHECK (size IS NULL OR size = 'S'),
    big int NULL CHECK (big > 1), mixed varchar(5) NULL, CHECK (mixed IN ('a', 'b') AND id > 0))`,
  `INSERT INTO app.owner VALUES (1, 'one', 'One')`,
  `INSERT INTO app.owner VALUES (2, 'two', 'Two')`,
  'INSERT INTO app.region VALUES (1, 1, NULL)',
  'INSERT INTO app.region VALUES (2, 5, NULL)',
  'CREATE UNIQUE INDEX ux_pair ON app.pair (y) WHERE y IS NOT NULL',
  `CREATE VIEW app.named AS SELECT id, name FROM app.thing`,
  `CREATE VIEW app.ones AS SELECT id, code, name FROM app.owner WHERE id < 100 WITH CHECK OPTION`,
  `CREATE VIEW app.few AS SELECT id, name FROM app.hidden WHERE name <> 'away'`,
  `CREATE VIEW app.joined AS SELECT d.id, d.owner_code, o.name FROM app.owned d JOIN app.owner o ON o.code = d.owner_code`,
  `CREATE VIEW app.counted AS SELECT owner_code, COUNT(*) AS n FROM app.owned GROUP BY owner_code`,
  `CREATE VIEW app.guarded AS SELECT id, code, name FROM app.owner WHERE id > 1000`,
];

export const shape: Shape = {
  postgres: `CREATE SCHEMA app; ${tables.join(';\n')};
CREATE FUNCTION app.guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' THEN DELETE FROM app.owner WHERE id = OLD.id AND name <> 'KEPT'; RETURN OLD; END IF;
  IF NEW.name = 'bad' THEN RAISE EXCEPTION 'Guarded against %.', NEW.name; END IF;
  IF TG_OP = 'INSERT' THEN INSERT INTO app.owner VALUES (NEW.id, NEW.code, upper(NEW.name));
  ELSE UPDATE app.owner SET name = lower(NEW.name), code = NEW.code WHERE id = OLD.id; END IF;
  RETURN NEW; END $$;
CREATE TRIGGER guard INSTEAD OF INSERT OR UPDATE OR DELETE ON app.guarded FOR EACH ROW EXECUTE FUNCTION app.guard();`,
  sqlserver: [
    'CREATE SCHEMA app',
    ...tables,
    `CREATE TRIGGER app.guard_insert ON app.guarded INSTEAD OF INSERT AS BEGIN SET NOCOUNT ON;
      IF EXISTS (SELECT 1 FROM inserted WHERE name = 'bad') BEGIN RAISERROR('Guarded against bad.', 16, 1); RETURN; END
      INSERT INTO app.owner SELECT id, code, UPPER(name) FROM inserted; END`,
    `CREATE TRIGGER app.guard_update ON app.guarded INSTEAD OF UPDATE AS BEGIN SET NOCOUNT ON;
      UPDATE app.owner SET name = LOWER(i.name), code = i.code FROM inserted i WHERE i.id = app.owner.id; END`,
    `CREATE TRIGGER app.guard_delete ON app.guarded INSTEAD OF DELETE AS BEGIN SET NOCOUNT ON;
      DELETE FROM app.owner WHERE id IN (SELECT id FROM deleted) AND name <> 'KEPT'; END`,
  ],
  mappings: mapped(`
owner: {dataclass: Owner, table: app.owner, stamp: hash, relations: {}}
hidden: {dataclass: Hidden, table: app.hidden, stamp: hash, attributes: {id: id, name: name}}
thing: {dataclass: Thing, table: app.thing, stamp: hash, attributes: {id: id, name: name, a: a, other: other}}
pair: {dataclass: Pair, table: app.pair, stamp: hash}
owned: {dataclass: Owned, table: app.owned, stamp: hash, attributes: {id: id}, relations: {owner: {to: Owner, foreignKey: fk_owned_owner},
  loose: {to: Owner, columns: {loose: id}}, must: {to: Owner, columns: {must: id}}}}
region: {dataclass: Region, table: app.region, stamp: hash, relations: {}}
site: {dataclass: Site, table: app.site, stamp: hash, attributes: {region: region, id: id}, relations: {place: {to: Region,
  foreignKey: fk_site_region}}}
node: {dataclass: Node, table: app.node, stamp: hash, attributes: {id: id}, relations: {parent: {to: Node, foreignKey: fk_node},
  children: {inverse: parent}}}
listed: {dataclass: Listed, table: app.listed, stamp: hash}
named: {dataclass: Named, view: app.named, key: [id]}
ones: {dataclass: Ones, view: app.ones, key: [id]}
few: {dataclass: Few, view: app.few, key: [id]}
joined: {dataclass: Joined, view: app.joined, key: [id]}
counted: {dataclass: Counted, view: app.counted, key: [owner_code]}
guarded: {dataclass: Guarded, view: app.guarded, key: [id]}
wordedNode: {dataclass: WordedNode, table: app.node, stamp: hash, attributes: {id: id}, relations: {parent: {to: WordedNode, foreignKey: fk_node}},
  messages: {fk_node: There is no such parent.}}
wordedPair: {dataclass: WordedPair, table: app.pair, stamp: hash, messages: {uq_pair: This x is taken.}}
`),
};

/** The same, told to administrators. */
export const byAdministrators: Shape = {
  ...shape,
  settings: { authentication: { anonymous: ['admin'] } },
};
