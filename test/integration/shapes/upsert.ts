import { rolesSetting } from '../../../src/config/settings/roles.ts';
import { identity, type Shape, uuid } from './engines.ts';

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
  mappings: {
    maker: `
dataclass: Maker
table: app.maker
stamp: hash
attributes: { id: id, name: name }
`,
    product: `
dataclass: Product
table: app.product
stamp: { counter: ver }
attributes: { id: id, code: code, name: name, qty: qty, barcode: barcode, alias: alias, stock: stock, rank: rank }
relations:
  maker: { to: Maker, columns: { maker_id: id } }
  parts: { inverse: Part.product }
`,
    part: `
dataclass: Part
table: app.part
stamp: { counter: ver }
attributes: { id: id, no: no, note: note }
relations: { product: { to: Product, columns: { product_id: id } } }
`,
    label: `
dataclass: Label
table: app.label
stamp: hash
attributes: { productID: product_id, no: no, text: txt }
relations: { product: { to: Product, columns: { product_id: id } } }
`,
    word: `
dataclass: Word
table: app.word
stamp: hash
attributes: { word: word, meaning: meaning }
`,
    badge: `
dataclass: Badge
table: app.badge
stamp: hash
attributes: { id: id, tag: tag, owner: owner }
`,
  },
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
