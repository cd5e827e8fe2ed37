import { mapped, type Shape } from './engines.ts';
import { inBothLanguages } from './languages.ts';

const statements = [
  `CREATE TABLE app.item (id int PRIMARY KEY, weight float, amount AMOUNT_TYPE, huge float, body JSON_TYPE, name varchar(20), bytes BYTES_TYPE UNIQUE, tag UUID_TYPE,
      long_text TEXT_TYPE)`,
  `INSERT INTO app.item VALUES
    (1, 1.5, 0.1, 1.7e308, '{"a":1,"b":"x","c":{"d":2.50}}', 'Ada', 0x0A, 'c0ffee00-0000-4000-8000-000000000001', 'one'),
    (2, NO_NUMBER, 0.02, 1.7e308, '{"a":"text","b":null}', 'ada', 0xFF, 'c0ffee00-0000-4000-8000-000000000002', 'two'),
    (3, NO_END, NO_NUMBER, NULL, '{"a":true,"b":"X","c":{"d":1}}', 'ADA', 0x0B00, 'c0ffee00-0000-4000-8000-000000000001', NULL),
    (4, 2.25, NULL, 1, '[1,2]', 'Bob', 0x0C, NULL, 'three'),
    (5, NULL, 0.003, NULL, '{"a":[1],"c":{"d":1e2}}', NULL, 0x0D, NULL, NULL),
    (6, NULL, NULL, NULL, '{"a":false}', NULL, 0x0E, NULL, NULL),
    (7, NULL, NULL, NULL, '{"a":2}', NULL, 0x0F, NULL, NULL),
    (8, NULL, NULL, NULL, 'null', NULL, NULL, NULL, NULL)`,
  `CREATE TABLE app.link (id int PRIMARY KEY, one int, other int)`,
  `INSERT INTO app.link VALUES (1, 1, 4), (2, 1, 4), (3, 1, 1), (4, 4, 4), (5, 4, NULL)`,
];

/** Values that some of what is computed has to pass over: no numbers, JSON of all types, texts that are one to the database, bytes. */
export const shape: Shape = {
  ...inBothLanguages(statements, {
    AMOUNT_TYPE: ['numeric', 'decimal(10, 3)'],
    BYTES_TYPE: ['bytea', 'varbinary(8)'],
    TEXT_TYPE: ['text', 'ntext'],
    // What is not a number is null on SQL Server.
    NO_NUMBER: ["'NaN'", 'NULL'],
    NO_END: ["'Infinity'", 'NULL'],
  }),
  mappings: mapped(`
item: {dataclass: Item, table: app.item, stamp: none, attributes: {id: id, weight: weight, amount: amount, huge: huge,
  body: {column: body, type: object}, name: {column: name, ignoreCase: true}, bytes: bytes, tag: tag, text: long_text},
  relations: {links: {inverse: Link.one}, others: {through: [links, other]}}}
link: {dataclass: Link, table: app.link, stamp: none, attributes: {id: id},
  relations: {one: {to: Item, columns: {one: id}}, other: {to: Item, columns: {other: id}}}}
`),
};
