import { expect, test } from 'vitest';
import { rolesSetting } from '../../../src/config/settings/roles.ts';
import { mapped, identity, saved, type Served, type Shape, type Told, uuid } from './engines.ts';

/** SQL Server takes one null where values are unique. */
const anyCode = { postgres: 'gen_random_uuid()::text', tsql: 'CAST(NEWID() AS varchar(36))' };

const tables = (dialect: 'postgres' | 'tsql'): string[] => [
  `CREATE TABLE app.head (id int ${identity[dialect]} NOT NULL PRIMARY KEY, code varchar(36) NULL DEFAULT ${anyCode[dialect]}, total int NOT NULL DEFAULT 0,` +
    ' ver int NOT NULL DEFAULT 1, note varchar(20) NULL)',
  'CREATE UNIQUE INDEX head_code ON app.head (code)',
  'CREATE TABLE app.part (head_id int NOT NULL REFERENCES app.head (id), no int NOT NULL, qty int NOT NULL,' +
    ' ver int NOT NULL DEFAULT 1, PRIMARY KEY (head_id, no))',
  `CREATE TABLE app.piece (id int ${identity[dialect]} NOT NULL PRIMARY KEY, head_id int NOT NULL, no int NOT NULL, name varchar(20) NOT NULL,` +
    ' CONSTRAINT piece_part FOREIGN KEY (head_id, no) REFERENCES app.part (head_id, no))',
  `CREATE TABLE app.remark (id int ${identity[dialect]} NOT NULL PRIMARY KEY, head_code varchar(36) NULL, txt varchar(20) NULL)`,
  `CREATE TABLE app.folder (id ${uuid[dialect]} NOT NULL PRIMARY KEY, name varchar(20) NULL)`,
  `CREATE TABLE app.sheet (folder_id ${uuid[dialect]} NOT NULL REFERENCES app.folder (id), no int NOT NULL, PRIMARY KEY (folder_id, no))`,
  `CREATE TABLE app.cover (folder_id ${uuid[dialect]} NOT NULL PRIMARY KEY REFERENCES app.folder (id), color varchar(20) NULL)`,
  'CREATE TABLE app.box (code char(5) NOT NULL PRIMARY KEY, name varchar(20) NULL)',
  'CREATE TABLE app.item (id int NOT NULL PRIMARY KEY, box varchar(5) NULL, twin int NULL, name varchar(20) NULL,' +
    ' CONSTRAINT item_twin FOREIGN KEY (twin) REFERENCES app.item (id))',
  'CREATE TABLE app.owner (id int NOT NULL PRIMARY KEY, main int NULL, name varchar(20) NULL)',
  'CREATE TABLE app.thing (id int NOT NULL PRIMARY KEY, owner_id int NULL, name varchar(20) NULL)',
  'ALTER TABLE app.owner ADD CONSTRAINT owner_main FOREIGN KEY (main) REFERENCES app.thing (id) ON DELETE SET NULL',
  'CREATE TABLE app.keeper (id int NOT NULL PRIMARY KEY, fav int NULL REFERENCES app.thing (id) ON DELETE CASCADE, name varchar(20) NULL)',
  'ALTER TABLE app.thing ADD keeper_id int NULL',
  'CREATE TABLE app.event (head_id int NULL, what varchar(20) NULL)',
];

const sum = (id: string): string =>
  `UPDATE app.head SET ver = ver + 1, total = (SELECT COALESCE(SUM(qty), 0) FROM app.part WHERE head_id = app.head.id) WHERE id IN (${id})`;

/** Heads with parts, which a trigger adds up in their head, and whose pieces refer to them; remarks stand on no key. */
export const shape: Shape = {
  postgres: `CREATE SCHEMA app; ${tables('postgres').join(';\n')};
CREATE FUNCTION app.add_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  ${sum("CASE WHEN TG_OP = 'DELETE' THEN OLD.head_id ELSE NEW.head_id END")}; RETURN NULL; END $$;
CREATE TRIGGER add_up AFTER INSERT OR UPDATE OR DELETE ON app.part FOR EACH ROW EXECUTE FUNCTION app.add_up();`,
  sqlserver: [
    'CREATE SCHEMA app',
    ...tables('tsql'),
    `CREATE TRIGGER app.add_up ON app.part AFTER INSERT, UPDATE, DELETE AS BEGIN SET NOCOUNT ON;
      ${sum('SELECT head_id FROM inserted UNION SELECT head_id FROM deleted')}; END`,
  ],
  mappings: mapped(`
head: {dataclass: Head, table: app.head, stamp: {counter: ver}, attributes: {id: id, code: code, total: total, note: note},
  relations: {parts: {inverse: Part.head}, remarks: {inverse: Remark.head}, events: {inverse: Event.head}}}
part: {dataclass: Part, table: app.part, stamp: {counter: ver}, attributes: {no: no, qty: qty, headID: head_id}, relations: {head: {to: Head,
  columns: {head_id: id}}, pieces: {inverse: Piece.part}}}
piece: {dataclass: Piece, table: app.piece, stamp: hash, attributes: {id: id, name: name}, relations: {part: {to: Part, columns: {head_id: head_id,
  no: no}}}}
remark: {dataclass: Remark, table: app.remark, stamp: hash, attributes: {id: id, text: txt}, relations: {head: {to: Head,
  columns: {head_code: code}}}}
box: {dataclass: Box, table: app.box, stamp: hash, attributes: {code: code, name: name}, relations: {items: {inverse: Item.box},
  sameItems: {inverse: SameItem.box}}}
item: {dataclass: Item, table: app.item, stamp: hash, attributes: {id: id, name: name}, relations: {box: {to: Box, columns: {box: code}},
  twin: {to: Item, foreignKey: item_twin}, twins: {inverse: twin}}}
sameItem: {dataclass: SameItem, table: app.item, attributes: {id: id, name: name}, relations: {box: {to: Box, columns: {box: code}}}}
owner: {dataclass: Owner, table: app.owner, stamp: hash, attributes: {id: id, name: name}, relations: {main: {to: Thing, foreignKey: owner_main},
  things: {inverse: Thing.owner}}}
keeper: {dataclass: Keeper, table: app.keeper, stamp: hash, attributes: {id: id, fav: fav, name: name},
  relations: {things: {inverse: Thing.keeper}}}
thing: {dataclass: Thing, table: app.thing, stamp: hash, attributes: {id: id, name: name}, relations: {owner: {to: Owner, columns: {owner_id: id}},
  keeper: {to: Keeper, columns: {keeper_id: id}}}}
folder: {dataclass: Folder, table: app.folder, stamp: hash, attributes: {id: id, name: name}, relations: {sheets: {inverse: Sheet.folder}}}
sheet: {dataclass: Sheet, table: app.sheet, stamp: hash, attributes: {no: no}, relations: {folder: {to: Folder, columns: {folder_id: id}}}}
cover: {dataclass: Cover, table: app.cover, stamp: hash, attributes: {color: color}, relations: {folder: {to: Folder, columns: {folder_id: id}}}}
event: {dataclass: Event, table: app.event, attributes: {what: what}, relations: {head: {to: Head, columns: {head_id: id}}}}
`),
};

/** As {@link shape}, by a role that may create parts, and neither change nor delete them, and sees small heads alone. */
export const byRole: Shape = {
  ...shape,
  settings: {
    roles: rolesSetting.parse({
      clerk: {
        dataclasses: {
          Head: { read: true, create: true, update: true, where: 'total < 100' },
          Part: { read: true, create: true },
          Piece: { read: true, create: true, update: "name != 'p'", delete: true },
          Remark: {
            read: true,
            create: true,
            update: true,
            attributes: { text: 'readOnly', head: 'readOnly' },
          },
        },
      },
    }),
    authentication: { anonymous: ['clerk'] },
  },
};

interface Head {
  readonly id: number;
  readonly __STAMP: number;
}

/** A part as a save answers it whose client wants nothing of it. */
function part(id: number, no: number): object {
  return saved('Part', `{"headID":${id},"no":${no}}`, {}, 1);
}

/** A new head with parts of some quantities, numbered from 1. */
async function make(served: Served, ...quantities: readonly number[]): Promise<Head> {
  const parts = quantities.map((qty, at) => ({ no: at + 1, qty }));
  const [status, body] = await served.post('Head?$attributes=id', { parts });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Head;
}

async function partsOf(served: Served, id: number): Promise<unknown> {
  const [, body] = await served.get(`Head(${id})/parts?$attributes=no,qty&$asArray=true`);
  return (body as { no: number; qty: number }[]).map(({ no, qty }) => [no, qty]);
}

/** Lists of hundreds of entities, several clients at once, and how many statements a save takes. */
export function longLists(served: Served): void {
  test('are answered each in its place, however long their lists are', async () => {
    const parts = Array.from({ length: 900 }, (_, at) => ({ no: at + 1, qty: 1 }));
    const heads = [{ parts }, { parts: parts.slice(0, 1) }, { parts }];
    const [status, body] = await served.post('Head?$attributes=id', heads);
    const { __ENTITIES: made } = body as { __ENTITIES: Head[] };
    expect(status).toBe(200);
    expect(made).toEqual(
      made.map(({ id, __STAMP: stamp }, at) => ({
        ...saved('Head', String(id), { id }, stamp),
        parts: { __ENTITIES: heads[at]?.parts.map(({ no }) => part(id, no)) },
      })),
    );
    const [, alone] = await served.post('Head?$attributes=id&$asArray=true', { parts });
    expect(alone).toMatchObject([{ parts: parts.map(() => ({ __STATUS: { success: true } })) }]);
  });

  test('two clients that replace the same list: one of them has changed what the other read', async () => {
    const { id, __STAMP } = await make(served, 1, 2, 3);
    const replace = (qty: number): Promise<Told> =>
      served.post(`Head(${id})?$replace=parts`, {
        __STAMP,
        parts: [1, 2, 3, 4].map((no) => ({ no, qty })),
      });
    const answers = await Promise.all([10, 20, 30, 40].map(replace));
    const statuses = answers.map(([status]) => status);
    expect([...statuses].sort()).toEqual([200, 409, 409, 409]);
    const qty = [10, 20, 30, 40][statuses.indexOf(200)];
    expect(await partsOf(served, id)).toEqual([1, 2, 3, 4].map((no) => [no, qty]));
  });

  test('take as many statements as one of each', async ({ skip }) => {
    if (served.isBabelfish) {
      skip('Babelfish does not parse the ORDER BY of an INSERT that returns keys: each goes alone');
    }
    const count = async (heads: number, parts: number): Promise<number> => {
      const body = Array.from({ length: heads }, () => ({
        note: 'n',
        parts: Array.from({ length: parts }, (_, at) => ({
          no: at,
          qty: 1,
          pieces: [{ name: 'a' }, { name: 'b' }],
        })),
      }));
      served.gateway.takeStatements();
      served.gateway.takeChanges();
      expect((await served.post('Head?$atomic=true', body))[0]).toBe(200);
      return served.gateway.takeStatements().length + served.gateway.takeChanges().length;
    };
    expect(await count(7, 20)).toBe(await count(1, 2));
  });
}
