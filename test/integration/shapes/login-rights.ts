import { ownName } from '../../targets/own-name.ts';
import { COUNTED, mappedAlike, type Shape } from './engines.ts';

/** A login of the server's, of this run alone. */
const LOGIN = ownName();

const tables = [
  'CREATE TABLE app.readable (id int NOT NULL PRIMARY KEY, name varchar(20) NULL)',
  "INSERT INTO app.readable VALUES (1, 'a')",
  'CREATE TABLE app.partly (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, pay int NULL)',
  "INSERT INTO app.partly VALUES (1, 'a', 5), (2, 'a', 5)",
  'CREATE TABLE app.deletable (id int NOT NULL PRIMARY KEY, name varchar(20) NULL)',
  "INSERT INTO app.deletable VALUES (1, 'a')",
];

const grants = [
  `GRANT SELECT ON app.readable TO ${LOGIN}`,
  `GRANT SELECT ON app.partly TO ${LOGIN}`,
  `GRANT SELECT, DELETE ON app.deletable TO ${LOGIN}`,
  `GRANT UPDATE (name) ON app.partly TO ${LOGIN}`,
];

/** Tables that the gateway's login may not write, or only in part. */
export const shape: Shape = {
  postgres: `CREATE SCHEMA app; ${tables.join(';\n')};
CREATE ROLE ${LOGIN} LOGIN PASSWORD 'secret-1A';
GRANT USAGE ON SCHEMA app TO ${LOGIN}; ${grants.join(';\n')};`,
  sqlserver: [
    'CREATE SCHEMA app',
    ...tables,
    `CREATE LOGIN ${LOGIN} WITH PASSWORD = 'secret-1A'`,
    `CREATE USER ${LOGIN} FOR LOGIN ${LOGIN}`,
    ...grants,
  ],
  mappings: mappedAlike('Readable Deletable Partly', { stamp: 'hash' }),
  login: { user: LOGIN, password: 'secret-1A' },
  verbs: { COUNTED },
};
