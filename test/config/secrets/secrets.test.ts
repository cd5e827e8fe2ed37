import { createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readTlsFiles } from '../../../src/config/secrets/tls-files.ts';
import { type Certificate, makeCertificate } from '../../fixtures/certificates.ts';
import { startupProblems, sharedFolder } from '../files.ts';
import { parsed, rows } from '../../rows.ts';
import { configSchema } from '../../../src/config/config.ts';
import { stampSecretOf } from '../../../src/config/secrets/stamp-secret.ts';

const folder = await sharedFolder();
let one: Certificate;
let other: Certificate;
beforeAll(async () => {
  [one, other] = await Promise.all([makeCertificate('one'), makeCertificate('other')]);
  const locked = createPrivateKey(one.key).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'geheim',
  });
  await Promise.all(
    Object.entries({
      'one.pem': one.cert,
      'one.key': one.key,
      'chain.pem': one.cert + other.cert,
      'both.pem': one.key + one.cert,
      'other.key': other.key,
      'locked.key': String(locked),
      'text.pem': 'hello',
      'broken.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      'broken-chain.pem': `${one.cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      'broken.key': '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
    }).map(([name, text]) => folder.write(name, text)),
  );
});

const files = (
  certificate: string,
  key: string,
  passphrase?: string,
): Parameters<typeof readTlsFiles>[0] => ({
  certificate: join(folder.path, certificate),
  key: join(folder.path, key),
  minVersion: 'TLSv1.2',
  ...(passphrase === undefined ? {} : { passphrase }),
});

describe('the files of server.tls', () => {
  test('are what TLS is served with', async () => {
    expect(await readTlsFiles(files('one.pem', 'one.key'))).toEqual({
      pair: { cert: one.cert, key: one.key, minVersion: 'TLSv1.2' },
      warnings: [],
    });
  });

  test.each([
    ['chain.pem', 'one.key'],
    ['both.pem', 'both.pem'],
    ['one.pem', 'locked.key', 'geheim'],
  ])('may be %s and %s', async (certificate, key, passphrase?: string) => {
    const { pair, warnings } = await readTlsFiles(files(certificate, key, passphrase));
    expect([pair.passphrase, warnings]).toEqual([passphrase, []]);
  });

  test.each(rows`
    none.pem   | none.key   | ['server.tls.certificate: none.pem: there is no such file', 'server.tls.key: none.key: there is no such file']
    .          | one.key    | ['server.tls.certificate: .: is a folder, not a file']
    one.pem    | other.key  | ['server.tls.key: other.key is not the key of the certificate in one.pem']
    text.pem   | one.key    | ['server.tls.certificate: text.pem holds no certificate in PEM form, "-----BEGIN CERTIFICATE-----" and what follows']
    broken.pem | one.key    | ['server.tls.certificate: broken.pem holds no certificate in PEM form, "-----BEGIN CERTIFICATE-----" and what follows']
    broken-chain.pem | one.key | ['server.tls.certificate: broken-chain.pem cannot be served: error']
    one.pem    | broken.key | ['server.tls.key: broken.key holds no private key in PEM form, "-----BEGIN PRIVATE KEY-----" and what follows']
    one.pem    | one.pem    | ['server.tls.key: one.pem holds no private key in PEM form, "-----BEGIN PRIVATE KEY-----" and what follows']
    one.pem    | locked.key | ['server.tls.key: locked.key is encrypted: give its passphrase by server.tls.passphrase']
    one.pem    | locked.key | ['server.tls.passphrase: locked.key cannot be decrypted by it'] | falsch
  `)('%s with %s are refused', async (certificate, key, expected, passphrase) => {
    const problems = await startupProblems(
      () => readTlsFiles(files(certificate, key, passphrase)),
      folder,
    );
    expect(
      problems?.map((line) => line.replaceAll(folder.path, '.').replace(/error:.*/, 'error')),
    ).toEqual(parsed(expected));
  });

  test.each([
    [[-20, -10], /^the certificate in .*\.pem has expired: it was valid until .* GMT$/],
    [[10, 20], /^the certificate in .*\.pem is valid from .* GMT on, and not yet$/],
  ] as const)('valid for days %j are served with a warning', async (days, warning) => {
    const { cert, key } = await makeCertificate('late', days);
    await folder.write('late.pem', cert);
    await folder.write('late.key', key);
    expect(await readTlsFiles(files('late.pem', 'late.key'))).toMatchObject({
      warnings: [expect.stringMatching(warning)],
    });
  });
});

/** The secret of a configuration. */
const secretOf = (config: object): string | null => stampSecretOf(configSchema.parse(config));

test.each(rows`
  a PostgreSQL server
    | [{engine: postgres, url: postgres://u:p%40@127.0.0.1:5432/d}, {engine: postgres, url: postgresql://u:%70%40@localhost/d?sslmode=disable}, {engine: postgres, url: postgres://other:p%40@replica:6432/d?user=u}]
  a SQL Server
    | [{engine: sqlserver, url: mssql://u:p;@h/d}, {engine: sqlserver, url: sqlserver://u:p;@127.0.0.1:1433/D?encrypt=false}, {engine: sqlserver, url: 'Server=h,1433;Database=d;User Id=u;Password="p;"'}, {engine: sqlserver, url: Data Source=x;Initial Catalog=d;UID=U;Pwd=p;;}, {engine: sqlserver, url: mssql://h/d, user: u, password: p;}, {engine: sqlserver, host: h, instance: i, database: d, user: u, password: p;}]
`)('credentials of %s make one secret in whichever spelling', (_engine, databases) => {
  const secrets = parsed<object[]>(databases).map((database) => secretOf({ database }));
  expect(new Set(secrets).size).toBe(1);
});

test('what changes the credentials changes the secret, and stampSecret goes before it', () => {
  const databases = [
    { engine: 'sqlserver', host: 'h', user: 'u', password: 'p' },
    { engine: 'sqlserver', host: 'h', user: 'u', password: 'q' },
    { engine: 'sqlserver', host: 'h', user: 'v', password: 'p' },
    {
      ...{ engine: 'sqlserver', host: 'h' },
      authentication: {
        ...{ type: 'azure-active-directory-service-principal-secret', clientId: 'c' },
        ...{ clientSecret: 'p', tenantId: 't' },
      },
    },
    { engine: 'sqlserver', host: 'h', database: 'd', user: 'u', password: 'p' },
    { engine: 'postgres', url: 'postgres://u:p@h/d2' },
    { engine: 'postgres', url: 'postgres://u:P@h/d2' },
  ];
  const secrets = databases.map((database) => secretOf({ database }));
  expect(new Set(secrets).size).toBe(databases.length);
  expect(secrets.every((secret) => /[pPq]/.test(secret ?? ''))).toBe(true);
  const [database] = databases;
  expect(secretOf({ database, stampSecret: 'sixteen letters!' })).toBe('sixteen letters!');
});

test.each([
  [{ engine: 'pglite' }],
  [{ engine: 'postgres', url: 'postgres://u@h/d' }],
  [{ engine: 'sqlserver', host: 'h' }],
  [{ engine: 'sqlserver', host: 'h', authentication: { type: 'azure-active-directory-default' } }],
])('%j has none', (database) => {
  expect(secretOf({ database })).toBeNull();
});
