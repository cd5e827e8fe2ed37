import type { Shape } from './engines.ts';

/** Values that some of what is computed has to pass over: no numbers, JSON of all types, texts that are one to the database, bytes. */
export const computedValues: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TABLE app.item (id int PRIMARY KEY, weight float8, amount numeric, huge float8, body jsonb, name varchar(20), bytes bytea UNIQUE, tag uuid, long_text text);
INSERT INTO app.item VALUES
(1, 1.5, 0.1, 1.7e308, '{"a":1,"b":"x","c":{"d":2.50}}', 'Ada', '\\x0A', 'c0ffee00-0000-4000-8000-000000000001', 'one'),
(2, 'NaN', 0.02, 1.7e308, '{"a":"text","b":null}', 'ada', '\\xFF', 'c0ffee00-0000-4000-8000-000000000002', 'two'),
(3, 'Infinity', 'NaN', NULL, '{"a":true,"b":"X","c":{"d":1}}', 'ADA', '\\x0B00', 'c0ffee00-0000-4000-8000-000000000001', NULL),
(4, 2.25, NULL, 1, '[1,2]', 'Bob', NULL, NULL, 'three'),
(5, NULL, 0.003, NULL, '{"a":[1],"c":{"d":1e2}}', NULL, NULL, NULL, NULL),
(6, NULL, NULL, NULL, '{"a":false}', NULL, NULL, NULL, NULL),
(7, NULL, NULL, NULL, '{"a":2}', NULL, NULL, NULL, NULL),
(8, NULL, NULL, NULL, 'null', NULL, NULL, NULL, NULL);
CREATE TABLE app.link (id int PRIMARY KEY, one int, other int);
INSERT INTO app.link VALUES (1, 1, 4), (2, 1, 4), (3, 1, 1), (4, 4, 4), (5, 4, NULL);
`,
  sqlserver: [
    'CREATE SCHEMA app',
    `CREATE TABLE app.item (id int PRIMARY KEY, weight float, amount decimal(10,3), huge float, body nvarchar(max), name varchar(20), bytes varbinary(8) UNIQUE, tag uniqueidentifier, long_text ntext);
INSERT INTO app.item VALUES
(1, 1.5, 0.1, 1.7e308, '{"a":1,"b":"x","c":{"d":2.50}}', 'Ada', 0x0A, 'c0ffee00-0000-4000-8000-000000000001', 'one'),
(2, NULL, 0.02, 1.7e308, '{"a":"text","b":null}', 'ada', 0xFF, 'c0ffee00-0000-4000-8000-000000000002', 'two'),
(3, NULL, NULL, NULL, '{"a":true,"b":"X","c":{"d":1}}', 'ADA', 0x0B00, 'c0ffee00-0000-4000-8000-000000000001', NULL),
(4, 2.25, NULL, 1, '[1,2]', 'Bob', 0x0C, NULL, 'three'),
(5, NULL, 0.003, NULL, '{"a":[1],"c":{"d":1e2}}', NULL, 0x0D, NULL, NULL),
(6, NULL, NULL, NULL, '{"a":false}', NULL, 0x0E, NULL, NULL),
(7, NULL, NULL, NULL, '{"a":2}', NULL, 0x0F, NULL, NULL),
(8, NULL, NULL, NULL, 'null', NULL, 0x10, NULL, NULL);
CREATE TABLE app.link (id int PRIMARY KEY, one int, other int);
INSERT INTO app.link VALUES (1, 1, 4), (2, 1, 4), (3, 1, 1), (4, 4, 4), (5, 4, NULL);`,
  ],
  mappings: {
    item:
      'dataclass: Item\ntable: app.item\nstamp: none\nattributes: { id: id, weight: weight, amount: amount, huge: huge, ' +
      'body: { column: body, type: object }, name: { column: name, ignoreCase: true }, bytes: bytes, tag: tag, text: long_text }\n' +
      'relations: { links: { inverse: Link.one }, others: { through: [links, other] } }\n',
    link:
      'dataclass: Link\ntable: app.link\nstamp: none\nattributes: { id: id }\n' +
      'relations: { one: { to: Item, columns: { one: id } }, other: { to: Item, columns: { other: id } } }\n',
  },
};
