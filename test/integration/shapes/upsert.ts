import { expect, test } from 'vitest';
import { chance } from '../../fixtures/legacy/random.ts';
import { seed } from '../../property/seed.ts';
import { rolesSetting } from '../../../src/config/settings/roles.ts';
import { mapped, identity, type Served, type Shape, uuid } from './engines.ts';

/** Collations that tell neither upper from lower case nor a letter from one with an accent. */
const loose = { postgres: 'app.loose', tsql: 'Latin1_General_CI_AI' };

const tables = (dialect: 'postgres' | 'tsql'): string[] => [
  `CREATE TABLE app.maker (id int ${identity[dialect]} NOT NULL PRIMARY KEY, name varchar(20) NOT NULL UNIQUE)`,
  `CREATE TABLE app.product (id int ${identity[dialect]} NOT NULL PRIMARY KEY, code varchar(20) NOT NULL, name varchar(20) NULL, qty int NULL,` +
    ' barcode varchar(20) NULL, alias varchar(20) NULL, maker_id int NULL REFERENCES app.maker (id), stock int NULL DEFAULT 5, rank int NOT NULL DEFAULT 1, ver int NOT NULL DEFAULT 1, CONSTRAINT product_code UNIQUE (code))',
  "CREATE UNIQUE INDEX product_barcode ON app.product (barcode) WHERE barcode <> ''",
  `CREATE TABLE app.part (id int ${identity[dialect]} NOT NULL PRIMARY KEY, product_id int NULL REFERENCES app.product (id), no int NOT NULL, note varchar(20) NULL,` +
    ' ver int NOT NULL DEFAULT 1, CONSTRAINT part_no UNIQUE (product_id, no))',
  'CREATE TABLE app.label (product_id int NOT NULL REFERENCES app.product (id), no int NOT NULL, txt varchar(20) NULL, PRIMARY KEY (product_id, no))',
  `CREATE TABLE app.word (word varchar(20) COLLATE ${loose[dialect]} NOT NULL PRIMARY KEY, meaning varchar(20) NULL)`,
  `CREATE TABLE app.badge (id ${uuid[dialect]} NOT NULL PRIMARY KEY, tag varchar(20) COLLATE ${loose[dialect]} NOT NULL, owner varchar(20) NULL, CONSTRAINT badge_tag UNIQUE (tag))`,
];

/** Products that are found by their code, and by other unique indexes. */
export const shape: Shape = {
  postgres: `CREATE SCHEMA app;
CREATE COLLATION app.loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
${tables('postgres').join(';\n')};
CREATE UNIQUE INDEX product_alias ON app.product (lower(alias));`,
  sqlserver: ['CREATE SCHEMA app', ...tables('tsql')],
  mappings: mapped(`
maker: {dataclass: Maker, table: app.maker, stamp: hash, attributes: {id: id, name: name}}
product: {dataclass: Product, table: app.product, stamp: {counter: ver}, attributes: {id: id, code: code, name: name, qty: qty, barcode: barcode,
  alias: alias, stock: stock, rank: rank}, relations: {maker: {to: Maker, columns: {maker_id: id}}, parts: {inverse: Part.product}}}
part: {dataclass: Part, table: app.part, stamp: {counter: ver}, attributes: {id: id, no: no, note: note}, relations: {product: {to: Product,
  columns: {product_id: id}}}}
label: {dataclass: Label, table: app.label, stamp: hash, attributes: {productID: product_id, no: no, text: txt}, relations: {product: {to: Product,
  columns: {product_id: id}}}}
word: {dataclass: Word, table: app.word, stamp: hash, attributes: {word: word, meaning: meaning}}
badge: {dataclass: Badge, table: app.badge, stamp: hash, attributes: {id: id, tag: tag, owner: owner}}
`),
};

/** Products of a shop whose other rows it does not see. */
export const byRole: Shape = {
  ...shape,
  settings: {
    roles: rolesSetting.parse({
      shop: {
        dataclasses: {
          Product: { read: true, create: true, update: 'qty < 100', where: "name != 'hidden'" },
          Part: { read: true, create: true },
          Badge: { read: true, update: true },
        },
      },
    }),
    authentication: { anonymous: ['shop'] },
  },
};

interface Answered {
  readonly __KEY: string;
  readonly __STATUS: { readonly success: boolean; readonly created?: boolean };
}

const BY_CODE = 'Product?$key=code&$attributes=code,name,qty';

/** Clients that save the same values at the same time. */
export function manyWriters(served: Served): void {
  test('of many writers end as one row for each value', async () => {
    const keys = Array.from({ length: 50 }, (_, at) => `K${at}`);
    const random = chance(seed);
    const sent = new Map(keys.map((key) => [key, new Set<string>()]));
    const created = new Map<string, number>();
    const wrong: unknown[] = [];
    let answered = 0;
    let posted = 0;
    const writer = async (number: number): Promise<void> => {
      const left = keys.toSorted(() => random.int(0, 2) - 1);
      while (left.length > 0) {
        const some = left.splice(0, random.int(1, 20));
        const body = some.map((code) => {
          const name = `${number}-${code}-${posted}`;
          sent.get(code)?.add(name);
          posted += 1;
          return { code, name, qty: number };
        });
        const isAtomic = random.oneIn(2);
        const [status, answer] = await served.post(
          `${BY_CODE}${isAtomic ? '&$atomic=true' : ''}`,
          body,
        );
        const { __ENTITIES: entities = [] } = answer as { __ENTITIES?: Answered[] };
        if (status !== 200 || entities.length !== body.length) wrong.push([status, answer]);
        for (const [at, entity] of entities.entries()) {
          if (!entity.__STATUS.success) wrong.push(entity);
          answered += 1;
          const code = some[at] ?? '';
          if (entity.__STATUS.created === true) created.set(code, (created.get(code) ?? 0) + 1);
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, number) => writer(number)));
    expect(wrong).toEqual([]);
    expect(answered).toBe(8 * keys.length);
    expect(Object.fromEntries(created)).toEqual(Object.fromEntries(keys.map((key) => [key, 1])));
    const [, read] = await served.get(
      'Product?$filter="code begin K"&$attributes=code,name&$top=1000&$asArray=true',
    );
    const rows = read as { code: string; name: string }[];
    expect(rows.map(({ code }) => code).sort()).toEqual(keys.toSorted());
    for (const { code, name } of rows) expect(sent.get(code)?.has(name)).toBe(true);
  });
}
