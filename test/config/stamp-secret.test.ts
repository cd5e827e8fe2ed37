import { expect, test } from 'vitest';
import { configSchema } from '../../src/config/config.ts';
import { stampSecretOf } from '../../src/config/stamp-secret.ts';

/** The secret of a configuration. */
const secretOf = (config: object): string | null => stampSecretOf(configSchema.parse(config));

test('the setting goes before the credentials of the database', () => {
  const database = { engine: 'postgres', url: 'postgres://u:p@h/d' };
  expect(secretOf({ database, stampSecret: 'sixteen letters!' })).toBe('sixteen letters!');
});

test.each([
  [{ engine: 'postgres', url: 'postgres://u:p@h/d' }],
  [{ engine: 'postgres', url: 'postgres://u:q@h/d' }],
  [{ engine: 'sqlserver', url: 'mssql://u:p@h/d' }],
  [{ engine: 'sqlserver', url: 'Server=h;Database=d;User Id=u;Password=p' }],
  [{ engine: 'sqlserver', host: 'h', user: 'u', password: 'p' }],
  [
    {
      engine: 'sqlserver',
      host: 'h',
      authentication: {
        type: 'azure-active-directory-service-principal-secret',
        clientId: 'c',
        clientSecret: 'p',
        tenantId: 't',
      },
    },
  ],
])('%j has a secret that is the same in each instance', (database) => {
  const secret = secretOf({ database });
  expect(secret).toMatch(/[pq]/);
  expect(secretOf({ database: { ...database } })).toBe(secret);
});

test('what changes the credentials changes the secret', () => {
  const secrets = ['p', 'q'].map((password) =>
    secretOf({ database: { engine: 'sqlserver', host: 'h', user: 'u', password } }),
  );
  expect(secrets[0]).not.toBe(secrets[1]);
});

test.each([
  [{ engine: 'pglite' }],
  [{ engine: 'postgres', url: 'postgres://u@h/d' }],
  [{ engine: 'sqlserver', host: 'h' }],
  [{ engine: 'sqlserver', host: 'h', authentication: { type: 'azure-active-directory-default' } }],
])('%j has none', (database) => {
  expect(secretOf({ database })).toBeNull();
});
