import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiKeyHash, makeApiKey } from '../../../src/access/auth/api-keys.ts';
import {
  openAuthentication,
  type Authentication,
} from '../../../src/access/auth/authentication.ts';
import { PasswordChecks } from '../../../src/access/auth/password-checks.ts';
import { passwordHashText } from '../../../src/access/auth/password-hash.ts';
import { configSchema } from '../../../src/config/config.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { testFolder, type TestFolder } from '../../config/files.ts';
import { cheapHash, refusal, testClock } from './support.ts';
import { signer, startProvider, type IdentityProvider, type Signer } from './identity-provider.ts';

const HERE = '192.0.2.1';
const PASSWORD = 'Passwort mit \u00e9';
const key = makeApiKey();

let folder: TestFolder;
let provider: IdentityProvider;
let issuer: Signer;
beforeAll(async () => {
  folder = await testFolder();
  issuer = await signer('one');
  provider = await startProvider(issuer.jwk);
  await folder.write(
    'auth/users.yaml',
    `users:
  ada: { password: '${await cheapHash(PASSWORD)}', roles: [writer], claims: { region: North } }
  dee: { password: '${await cheapHash(PASSWORD)}', disabled: true }
`,
  );
});
afterAll(async () => {
  await provider.close();
  await folder.remove();
});

async function opened(
  authentication: string,
  check?: (password: string, stored: string) => boolean,
): Promise<Authentication> {
  const path = await folder.write('config.yaml', authentication);
  const { roles } = configSchema.parse({ roles: { writer: { dataclasses: {} } } });
  const config = { ...(await loadConfig(path, {})), roles };
  return openAuthentication(config, {
    clock: testClock(),
    onProblem: (problem) => {
      throw problem;
    },
    ...(check === undefined
      ? {}
      : {
          checks: new PasswordChecks(testClock(), (password, stored) =>
            Promise.resolve(check(password, passwordHashText(stored))),
          ),
        }),
  });
}

/** All of it: keys, users, tokens, and whoever sends nothing. */
const all = (): string => `application: The "ERP" of Müller\\Söhne
authentication:
  anonymous: [guest]
  apiKeys: [{ name: reporting, hash: 'sha256:${apiKeyHash(key)}', roles: [reader] }]
  users: auth/users.yaml
  jwt: { jwks: '${provider.url}', issuer: login, audience: erp }
`;

const basic = (user: string, password: string): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

const token = (claims: Readonly<Record<string, unknown>> = {}): Promise<string> =>
  issuer.sign({
    iss: 'login',
    aud: 'erp',
    sub: 'eve',
    exp: Date.parse('2027-01-01') / 1000,
    ...claims,
  });

const ada = {
  name: 'ada',
  roles: ['writer'],
  claims: new Map([
    ['region', 'North'],
    ['user', 'ada'],
  ]),
  passwordVersion: expect.stringMatching(/^[\w-]{43}$/) as string,
};

test('everybody shows who they are in their own way', async () => {
  const { authenticate, logIn, anonymous, challenges } = await opened(all());
  expect(await authenticate({}, HERE)).toBeNull();
  expect(anonymous).toEqual({ name: null, roles: ['guest'], claims: new Map() });
  const reporting = {
    name: 'reporting',
    roles: ['reader'],
    claims: new Map([['user', 'reporting']]),
  };
  expect(await authenticate({ 'api-key': key }, HERE)).toEqual(reporting);
  expect(await authenticate({ authorization: `Bearer ${key}` }, HERE)).toEqual(reporting);
  expect(await authenticate(basic('ada', PASSWORD), HERE)).toEqual(ada);
  expect(await authenticate(basic('ada', 'Passwort\u00a0mit e\u0301'), HERE)).toEqual(ada);
  expect(await logIn('ada', PASSWORD, HERE)).toEqual(ada);
  expect(await authenticate({ authorization: `Bearer ${await token()}` }, HERE)).toMatchObject({
    name: 'eve',
  });
  expect(challenges).toEqual([
    'Bearer realm="The \\"ERP\\" of M?ller\\\\S?hne"',
    'Basic realm="The \\"ERP\\" of M?ller\\\\S?hne", charset="UTF-8"',
  ]);
});

test('wrong credentials are not taken for none', async () => {
  const { authenticate, logIn } = await opened(all());
  const wrong = ['notLoggedIn', 'The user’s name or the password is wrong.'];
  for (const [user, password] of [
    ['ada', 'Passwort'],
    ['ada', ''],
    ['dee', PASSWORD],
    ['nobody', PASSWORD],
    ['', ''],
  ] as const) {
    expect(await refusal(() => authenticate(basic(user, password), HERE))).toEqual(wrong);
    expect(await logIn(user, password, HERE)).toBeNull();
  }
  expect(await refusal(() => authenticate({ 'api-key': '' }, HERE))).toEqual([
    'notLoggedIn',
    'This is not an API key: expected egk_ and 48 characters, as they were given out.',
  ]);
});

test('ten wrong passwords, by header or login, are followed by a wait, however the name is written', async () => {
  const { authenticate, logIn } = await opened(all(), () => false);
  for (let index = 0; index < 5; index += 1) {
    await refusal(() => authenticate(basic('Zo\u00eb', `x${index}`), HERE));
    expect(await logIn('Zoe\u0308', `y${index}`, HERE)).toBeNull();
  }
  const wait = [
    'tooManyAttempts',
    'Too many attempts to log in have failed. Try again in 300 seconds.',
  ];
  expect(await refusal(() => authenticate(basic('Zo\u00eb', 'z'), HERE))).toEqual(wait);
  expect(await refusal(() => logIn('Zoe\u0308', 'z', HERE))).toEqual(wait);
  expect(await logIn('Zo\u00eb', 'z', '192.0.2.2')).toBeNull();
});

test('users who do not exist are worked on as those who do', async () => {
  const asked: string[] = [];
  const { logIn } = await opened(all(), (_, stored) => {
    asked.push(stored.replace(/\$[^$]*\$[^$]*$/, ''));
    return true;
  });
  expect(await logIn('ada', PASSWORD, HERE)).toEqual(ada);
  expect(await logIn('nobody', PASSWORD, HERE)).toBeNull();
  expect(await logIn('dee', PASSWORD, HERE)).toBeNull();
  expect(asked).toEqual(new Array(3).fill('$scrypt$ln=16,r=8,p=1'));
});

const BEARER = ['Bearer realm="Entitygate"'];

test.each([
  ['anonymous: []', [], -1],
  [`apiKeys: [{ name: reporting, hash: 'sha256:${'0'.repeat(64)}' }]`, BEARER, 0],
  ['users: auth/users.yaml', ['Basic realm="Entitygate", charset="UTF-8"'], 1],
  [`jwt: { secret: '${'x'.repeat(32)}', issuer: a, audience: b }`, BEARER, 2],
])('what is not configured is refused: %s', async (setting, expected, configured) => {
  const { authenticate, logIn, challenges, anonymous } = await opened(
    `authentication:\n  ${setting}\n`,
  );
  const sent = [{ 'api-key': key }, basic('ada', 'geheim'), { authorization: 'Bearer a.b.c' }];
  for (const [index, what] of ['API keys', 'users’ passwords', 'tokens'].entries()) {
    const refused = await refusal(() => authenticate(sent[index] ?? {}, HERE));
    const isMissing = String(refused) === `notLoggedIn,The gateway does not accept ${what}.`;
    expect([what, isMissing]).toEqual([what, index !== configured]);
  }
  const isOpen = setting.startsWith('anonymous');
  const nobody = { name: null, roles: [], claims: new Map() };
  expect([challenges, anonymous]).toEqual([expected, isOpen ? nobody : null]);
  if (configured !== 1) expect(await logIn('ada', PASSWORD, HERE)).toBeNull();
});

test('no error holds what was sent, or what is kept', async () => {
  const { authenticate, logIn } = await opened(all(), () => false);
  const jwt = await token({ exp: 1, sub: 'geheim' });
  const [, payload = '', signature = ''] = jwt.split('.');
  const secrets = ['geheim', PASSWORD, key, payload, signature, 'egk_AAAA'];
  const errors: unknown[] = [];
  const collect = async (work: () => Promise<unknown>): Promise<void> => {
    await work().catch((error: unknown) => errors.push(error));
  };
  for (const headers of [
    { 'api-key': 'geheim' },
    { 'api-key': `${key}x` },
    { 'api-key': makeApiKey() },
    { authorization: 'geheim' },
    { authorization: `Bearer ${jwt}` },
    { authorization: `Bearer ${payload}` },
    { authorization: `Bearer egk_AAAA` },
    { authorization: `Basic geheim` },
    { authorization: `Basic ${key}` },
    basic('ada', 'geheim'),
    { ...basic('ada', 'geheim'), 'api-key': key },
  ]) {
    await collect(() => authenticate(headers, HERE));
  }
  for (let index = 0; index < 12; index += 1) {
    await collect(() => logIn('ada', `geheim ${index}`, HERE));
  }
  expect(errors.length).toBeGreaterThan(11);
  for (const error of errors) {
    // All that a log could find on it, its causes included.
    let text = '';
    for (let one: unknown = error; one instanceof Error; one = one.cause) {
      text += `${one.message}${one.stack ?? ''}${JSON.stringify(one)}`;
    }
    for (const secret of secrets) expect(text).not.toContain(secret);
  }
});
