import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { startupProblems, sharedFolder } from '../files.ts';
import { parsed, rows } from '../../rows.ts';

const folder = await sharedFolder();

const postgres = 'database:\n  engine: postgres\n  url: postgres://a@b/c\n  tellUser: ';
const sqlServer = 'database:\n  engine: sqlserver\n  url: mssql://a:b@c/d\n  tellUser: ';

test.each(rows`
  ${postgres}false | false
  ${postgres}true | true
  ${postgres}{} | {user: entitygate.user, claims: {}}
  ${postgres}{ user: app.user, roles: app.roles, claims: { region: app.sales.region } } | {user: app.user, roles: app.roles, claims: {region: app.sales.region}}
  ${sqlServer}{} | {user: user, claims: {}}
  ${sqlServer}{ user: The user, claims: { region: region } } | {user: The user, claims: {region: region}}
  database:\n  engine: pglite\n  tellUser: { user: a.b } | {user: a.b, claims: {}}
`)('database.tellUser: %s', async (text, expected) => {
  const path = await folder.write('config.yaml', text);
  expect((await loadConfig(path, {})).database.tellUser).toEqual(parsed(expected));
});

const NO_NAME =
  'is not a name of a custom parameter: expected names with a dot between them, such as app.user';

test.each(rows`
  ${postgres}{ user: role } | 4:21: "database.tellUser.user": ${NO_NAME}
  ${postgres}{ roles: search_path } | 4:22: "database.tellUser.roles": ${NO_NAME}
  ${postgres}{ claims: { region: "a.b'; DROP" } } | 4:33: "database.tellUser.claims.region": ${NO_NAME}
  ${postgres}{ user: a.b, roles: A.b } | 4:33: "database.tellUser.roles": is the key of something else, too: give each its own
  ${sqlServer}{ claims: { region: user } } | 4:33: "database.tellUser.claims.region": is the key of something else, too: give each its own
  ${sqlServer}{ user: ${'a'.repeat(129)} } | 4:21: "database.tellUser.user": expected a text of 128 characters or less
  ${sqlServer}{ readOnly: true } | 4:15: unknown setting "readOnly". Known: user, roles, claims.
  ${sqlServer}yes | 4:13: "database.tellUser": expected true or false or { user, roles, claims }, found "yes"
`)('is refused: %s', async (text, expected) => {
  const path = await folder.write('config.yaml', text);
  const problems = await startupProblems(() => loadConfig(path, {}), folder);
  expect(problems).toEqual([`config.yaml:${expected}`]);
});
