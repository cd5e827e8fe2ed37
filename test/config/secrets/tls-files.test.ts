import { createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTlsFiles } from '../../../src/config/secrets/tls-files.ts';
import { makeCertificate, type Certificate } from '../../fixtures/certificates.ts';
import { startupProblems, testFolder, type TestFolder } from '../files.ts';
import { parsed, rows } from '../../rows.ts';

let folder: TestFolder;
let one: Certificate;
let other: Certificate;
beforeAll(async () => {
  folder = await testFolder();
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
afterAll(() => folder.remove());

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
    ['with those of authorities behind the certificate', 'chain.pem', 'one.key'],
    ['in one file', 'both.pem', 'both.pem'],
    ['with a key that is encrypted', 'one.pem', 'locked.key', 'geheim'],
  ])('may be %s', async (_what, certificate, key, passphrase?: string) => {
    const { pair, warnings } = await readTlsFiles(files(certificate, key, passphrase));
    expect(pair.passphrase).toBe(passphrase);
    expect(warnings).toEqual([]);
  });

  test.each(rows`
    none.pem   | none.key   | ['server.tls.certificate: none.pem: there is no such file', 'server.tls.key: none.key: there is no such file']
    .          | one.key    | ['server.tls.certificate: .: is a folder, not a file']
    one.pem    | other.key  | ['server.tls.key: other.key is not the key of the certificate in one.pem']
    text.pem   | one.key    | ['server.tls.certificate: text.pem holds no certificate in PEM form, "-----BEGIN CERTIFICATE-----" and what follows']
    broken.pem | one.key    | ['server.tls.certificate: broken.pem holds no certificate in PEM form, "-----BEGIN CERTIFICATE-----" and what follows']
    one.pem    | broken.key | ['server.tls.key: broken.key holds no private key in PEM form, "-----BEGIN PRIVATE KEY-----" and what follows']
    one.pem    | one.pem    | ['server.tls.key: one.pem holds no private key in PEM form, "-----BEGIN PRIVATE KEY-----" and what follows']
    one.pem    | locked.key | ['server.tls.key: locked.key is encrypted: give its passphrase by server.tls.passphrase']
    one.pem    | locked.key | ['server.tls.passphrase: locked.key cannot be decrypted by it'] | falsch
  `)('%s with %s are refused', async (certificate, key, expected, passphrase) => {
    const problems = await startupProblems(
      () => readTlsFiles(files(certificate, key, passphrase)),
      folder,
    );
    expect(problems?.map((line) => line.replaceAll(folder.path, '.'))).toEqual(parsed(expected));
  });

  test('of which one of the authorities is broken are refused', async () => {
    const problems = await startupProblems(
      () => readTlsFiles(files('broken-chain.pem', 'one.key')),
      folder,
    );
    expect(problems).toEqual([
      expect.stringMatching(/^server\.tls\.certificate: broken-chain\.pem cannot be served: /),
    ]);
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
