import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { acceptedAlgorithms } from '../../../src/config/settings/authentication.ts';
import { rows } from '../../rows.ts';
import { configProblems, sharedFolder } from '../files.ts';
import { privateKeyProblem } from '../../../src/config/secrets/signing-keys.ts';
import { makeCertificate } from '../../fixtures/certificates.ts';

const folder = await sharedFolder();

const pem = (key: KeyObject): string =>
  key.export({ type: key.type === 'public' ? 'spki' : 'pkcs8', format: 'pem' }).toString();
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const HASH = `sha256:${'a1'.repeat(32)}`;
const SECRET = 'geheim'.repeat(6);

test('a key from a file, a secret from the environment', async () => {
  await folder.write('issuer.pem', pem(ec.publicKey));
  expect(
    await configProblems(
      folder,
      'authentication: { jwt: { key: "${FILE:issuer.pem}", issuer: a, audience: b } }',
    ),
  ).toBeNull();
  const text = 'authentication: { jwt: { secret: "${ENV:SECRET}", issuer: a, audience: b } }';
  expect(await configProblems(folder, text, { SECRET })).toBeNull();
  expect(await configProblems(folder, text)).toEqual([
    'config.yaml:1:34: the environment variable SECRET is not set',
  ]);
});

const jwt = (settings: string): string =>
  `authentication:\n  jwt:\n    issuer: a\n    audience: b\n    ${settings}\n`;
const oneOf =
  'config.yaml:2:3: "authentication.jwt": says by what the signatures of tokens are checked: expected one of jwks, key and secret';

test.each(rows`
  authentication: {} | config.yaml:1:1: "authentication": lets nobody in: expected one or more of apiKeys, users, jwt, oidc and anonymous
  authentication: { apiKeys: [egk_geheim] } | config.yaml:1:29: "authentication.apiKeys.0": expected { name, hash }, found a text
  authentication:\n  apiKeys:\n    - { name: one, hash: egk_geheim }
    | config.yaml:3:26: "authentication.apiKeys.0.hash": is not a hash of an API key: expected sha256: and 64 hexadecimal digits, as entitygate key prints them
  authentication:\n  apiKeys:\n    - { name: "a\\nb", hash: '${HASH}' }\n    - { name: '', hash: '${HASH.replace('a1', 'b1')}' }
    | config.yaml:3:15: "authentication.apiKeys.0.name": holds a control character | config.yaml:4:15: "authentication.apiKeys.1.name": is empty
  authentication:\n  apiKeys:\n    - { name: one, hash: '${HASH}' }\n    - { name: one, hash: '${HASH.replace('a1', 'A1')}' }
    | config.yaml:4:15: "authentication.apiKeys.1.name": is the name of another key, too: logs could not tell them apart
    | config.yaml:4:26: "authentication.apiKeys.1.hash": is the hash of another key, too: make a key for each with entitygate key
  authentication:\n  apiKeys:\n    - name: one\n      hash: ${HASH}\n      claims: { level: 7 }
    | config.yaml:5:24: "authentication.apiKeys.0.claims.level": expected a text or a list, found a number. Write it in quotes.
  authentication:\n  apiKeys:\n    - name: one\n      hash: ${HASH}\n      claims: { user: x } | config.yaml:5:17: "user": is reserved for the user’s name
  authentication: { jwt: geheim } | config.yaml:1:24: "authentication.jwt": expected { issuer, audience }, found a text
  authentication:\n  jwt: { jwks: https://a.example } | config.yaml:2:3: "authentication.jwt.issuer": expected a text or a list, found nothing
    | config.yaml:2:3: "authentication.jwt.audience": expected a text or a list, found nothing
`)('%s', async (text, ...expected) => {
  const found = (await configProblems(folder, text)) ?? [];
  expect(found).toEqual(expected);
  expect(found.join('\n')).not.toContain('geheim');
});

test.each(rows`
  ${''} | ${oneOf}
  jwks: https://a.example\n    secret: ${SECRET} | ${oneOf}
  secret: geheim-geheim-geheim-geheim-gehe
  secret: geheim-geheim-geheim-geheim | config.yaml:5:13: "authentication.jwt.secret": is too short for HS256: expected 32 bytes or more
  secret: ${SECRET}\n    algorithms: [HS256, HS384] | config.yaml:5:13: "authentication.jwt.secret": is too short for HS384: expected 48 bytes or more
  secret: ${SECRET}\n    algorithms: [RS256] | config.yaml:6:18: "authentication.jwt.algorithms.0": RS256 is not allowed with a secret: expected HS256, HS384 or HS512
  jwks: https://a.example\n    algorithms: [RS256, HS256]
    | config.yaml:6:25: "authentication.jwt.algorithms.1": HS256 is not allowed with public keys: expected RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519
`)('tokens with %s', async (settings, ...expected) => {
  const found = (await configProblems(folder, jwt(settings))) ?? [];
  expect(found).toEqual(expected);
  expect(found.join('\n')).not.toContain('geheim');
});

test.each(rows`
  scopes: [profile] | config.yaml:5:5: "authentication.oidc.scopes": lacks openid, without which nobody says who signs in
  scopes: [openid, "a b"] | config.yaml:5:22: "authentication.oidc.scopes.1": is not a scope: expected a word such as profile, without blanks and quotes
  parameters: { prompt: login, state: x } | config.yaml:5:41: "authentication.oidc.parameters.state": is what the gateway itself says
  privateKey: geheim
    | config.yaml:5:17: "authentication.oidc.privateKey": is not a private key: expected PEM text without a passphrase, which begins with -----BEGIN PRIVATE KEY-----
  issuer: https://ada:geheim@login.example.com
    | config.yaml:4:13: "authentication.oidc.issuer": is not the address of a provider to trust: expected https://… without a login and /.well-known/…, or http:// of this machine
  title: Acme\nproxy: [{ prefix: /oidc/x, to: "http://app" }]
    | config.yaml:6:19: "proxy.0.prefix": overlaps /oidc, where authentication.oidc has people sign in
`)('a sign-in with %s', async (settings, ...expected) => {
  const issuer = settings.startsWith('issuer') ? '' : 'issuer: https://login.example.com';
  const text = `authentication:\n  oidc:\n    clientId: a${issuer && `\n    ${issuer}`}\n    ${settings}\n`;
  const found = (await configProblems(folder, text)) ?? [];
  expect(found).toEqual(expected);
  expect(found.join('\n')).not.toContain('geheim');
});

const NO_KEYS =
  'config.yaml:5:11: "authentication.jwt.jwks": is not a URL to fetch keys from safely: expected https://… without a login, or http:// of this machine';

test.each<[problem: string | null, urls: string[]]>([
  [null, ['https://login.example.com/.well-known/jwks.json', 'http://localhost:8080/jwks']],
  [null, ['http://127.1.2.3/jwks', 'http://[::1]:8080/jwks']],
  [NO_KEYS, ['http://login.example.com/keys', 'http://login.localhost/keys', 'login.example.com']],
  [NO_KEYS, ['http://localhost.example.com/keys', 'http://127.0.0.1.example.com/keys']],
  [NO_KEYS, ['https://ada@h.example', 'https://a:geheim@h.example', 'file:///etc/keys']],
])('%s: keys from %j', async (problem, urls) => {
  for (const url of urls) {
    const found = await configProblems(folder, jwt(`jwks: '${url}'`));
    expect([url, found?.join('\n') ?? null]).toEqual([url, problem]);
  }
});

test('a key expires on a day, or at an instant', async () => {
  for (const expires of ['2027-02-30', '2027-13-01', 'soon', '2027-01-31T18:00:00', '31.1.2027']) {
    const text = `authentication:\n  apiKeys:\n    - { name: one, hash: '${HASH}', expires: ${expires} }`;
    expect((await configProblems(folder, text))?.map((line) => line.replace(/^\S+ /, ''))).toEqual([
      '"authentication.apiKeys.0.expires": is not a date such as 2027-01-31 or 2027-01-31T18:00:00Z',
    ]);
  }
});

const NO_KIND =
  'is a key of a kind that tokens are not signed with: expected RSA, P-256, P-384, P-521 or Ed25519';

test.each([
  [
    pem(ec.privateKey),
    'is a private key: give the public one, and keep this one to who signs the tokens',
  ],
  [
    'geheim',
    'is not a public key: expected PEM text, which begins with -----BEGIN PUBLIC KEY----- or -----BEGIN CERTIFICATE-----',
  ],
  [pem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey), NO_KIND],
  [pem(generateKeyPairSync('x25519').publicKey), NO_KIND],
  [
    pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey),
    'has 1024 bits: a key of RSA has 2048 or more to be safe',
  ],
])('a key is refused, and not shown (%#)', async (key, message) => {
  await folder.write('key.pem', key);
  expect(await configProblems(folder, jwt('key: ${FILE:key.pem}'))).toEqual([
    `config.yaml:5:10: "authentication.jwt.key": ${message}`,
  ]);
});

test('an algorithm has to go with the key', async () => {
  await folder.write('key.pem', pem(ec.publicKey));
  expect(
    await configProblems(folder, jwt('key: ${FILE:key.pem}\n    algorithms: [RS256]')),
  ).toEqual([
    'config.yaml:6:18: "authentication.jwt.algorithms.0": RS256 is not allowed with the key: expected ES256',
  ]);
});

const PUBLIC = 'RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519';

test.each([
  ['jwks', {}, PUBLIC.split(', ')],
  ['a secret', { secret: SECRET }, ['HS256']],
  ['P-256', { key: pem(ec.publicKey) }, ['ES256']],
  ['Ed25519', { key: pem(generateKeyPairSync('ed25519').publicKey) }, ['EdDSA', 'Ed25519']],
  ['those that are named', { algorithms: ['ES256' as const] }, ['ES256']],
])('by %s, signatures of some kinds are taken', (_, given, expected) => {
  expect(acceptedAlgorithms(given)).toEqual(expected);
});

test('a private key may have its own certificate beside it, and no other', async () => {
  const { cert, key } = await makeCertificate();
  const another = pem(ec.privateKey);
  expect([key, key + cert, cert + key, another + cert].map(privateKeyProblem)).toEqual([
    ...[null, null, null],
    'has the certificate of another key beside it',
  ]);
});
