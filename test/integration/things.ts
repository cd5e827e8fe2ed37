import { mapped, type Shape } from './shapes/engines.ts';

const STATEMENTS = [
  'CREATE SCHEMA app',
  'CREATE TABLE app.thing (id int NOT NULL PRIMARY KEY, n int NOT NULL, ver int NOT NULL)',
  'INSERT INTO app.thing VALUES (1, 0, 1), (2, 0, 1), (3, 0, 1)',
];

/** A table of three things, which a counter stamps. */
export const things: Shape = {
  postgres: STATEMENTS.join(';\n'),
  sqlserver: STATEMENTS,
  mappings: mapped(
    'thing: {dataclass: Thing, table: app.thing, stamp: {counter: ver}, attributes: {id: id, n: n}}',
  ),
};
