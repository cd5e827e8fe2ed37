import type { Shape } from './engines.ts';

/** Columns of every type that holds a text of any length. */
export const longValues: Shape = {
  postgres: `CREATE SCHEMA app;
CREATE TABLE app.long (id int PRIMARY KEY, ver int NOT NULL DEFAULT 1, tx text, vc varchar, js json, jb jsonb, jt text);`,
  sqlserver: [
    'CREATE SCHEMA app',
    'CREATE TABLE app.long (id int NOT NULL PRIMARY KEY, ver int NOT NULL DEFAULT 1, tx nvarchar(max), vc varchar(max), js nvarchar(max), jb nvarchar(max), jt varchar(max))',
  ],
  mappings: {
    long: `dataclass: Long
table: app.long
stamp: { counter: ver }
attributes:
  id: id
  tx: tx
  vc: vc
  js: { column: js, type: object }
  jb: { column: jb, type: object }
  jt: { column: jt, type: object }`,
  },
};
