import { expect, test } from 'vitest';
import { configSchema } from '../../../src/config/config.ts';
import { stampSecretOf } from '../../../src/config/secrets/stamp-secret.ts';
import { parsed, rows } from '../../rows.ts';

/** The secret of a configuration. */
const secretOf = (config: object): string | null => stampSecretOf(configSchema.parse(config));

test('the setting goes before the credentials of the database', () => {
  const database = { engine: 'postgres', url: 'postgres://u:p@h/d' };
  expect(secretOf({ database, stampSecret: 'sixteen letters!' })).toBe('sixteen letters!');
});

test.each(rows`
  {engine: postgres, url: postgres://u:p@h/d}
  {engine: postgres, url: postgres://u:q@h/d}
  {engine: sqlserver, url: mssql://u:p@h/d}
  {engine: sqlserver, url: Server=h;Database=d;User Id=u;Password=p}
  {engine: sqlserver, host: h, user: u, password: p}
  {engine: sqlserver, host: h, authentication: {type: azure-active-directory-service-principal-secret, clientId: c, clientSecret: p, tenantId: t}}
`)('%j has a secret that is the same in each instance', (database) => {
  const secret = secretOf({ database: parsed(database) });
  expect(secret).toMatch(/[pq]/);
  expect(secretOf({ database: { ...parsed(database) } })).toBe(secret);
});

test.each(rows`
  a PostgreSQL server
    | [{engine: postgres, url: postgres://u:p%40@127.0.0.1:5432/d}, {engine: postgres, url: postgresql://u:%70%40@localhost/d?sslmode=disable}, {engine: postgres, url: postgres://other:p%40@replica:6432/d?user=u}]
  a SQL Server
    | [{engine: sqlserver, url: mssql://u:p;@h/d}, {engine: sqlserver, url: sqlserver://u:p;@127.0.0.1:1433/D?encrypt=false}, {engine: sqlserver, url: 'Server=h,1433;Database=d;User Id=u;Password="p;"'}, {engine: sqlserver, url: Data Source=x;Initial Catalog=d;UID=U;Pwd=p;;}, {engine: sqlserver, url: mssql://h/d, user: u, password: p;}, {engine: sqlserver, host: h, instance: i, database: d, user: u, password: p;}]
`)('credentials of %s make one secret in whichever spelling', (_engine, databases) => {
  const secrets = parsed<object[]>(databases).map((database) => secretOf({ database }));
  expect(new Set(secrets).size).toBe(1);
});

test('what changes the credentials changes the secret', () => {
  const databases = [
    { engine: 'sqlserver', host: 'h', user: 'u', password: 'p' },
    { engine: 'sqlserver', host: 'h', user: 'u', password: 'q' },
    { engine: 'sqlserver', host: 'h', user: 'v', password: 'p' },
    { engine: 'sqlserver', host: 'h', database: 'd', user: 'u', password: 'p' },
    { engine: 'postgres', url: 'postgres://u:p@h/d2' },
    { engine: 'postgres', url: 'postgres://u:P@h/d2' },
  ];
  expect(new Set(databases.map((database) => secretOf({ database }))).size).toBe(databases.length);
});

test.each([
  [{ engine: 'pglite' }],
  [{ engine: 'postgres', url: 'postgres://u@h/d' }],
  [{ engine: 'sqlserver', host: 'h' }],
  [{ engine: 'sqlserver', host: 'h', authentication: { type: 'azure-active-directory-default' } }],
])('%j has none', (database) => {
  expect(secretOf({ database })).toBeNull();
});
