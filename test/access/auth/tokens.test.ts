import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { Tokens, claimsPrincipal, flatClaims } from '../../../src/access/auth/tokens.ts';
import type { JwtSettings } from '../../../src/config/settings/authentication.ts';
import { jwtSettings, refusal, testClock } from './support.ts';
import { parsed, rows } from '../../rows.ts';

const NOW = testClock().wall() / 1000;
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();

const claims = { iss: 'login', aud: 'erp', sub: 'ada', exp: NOW + 600 };

function signed(
  payload: Readonly<Record<string, unknown>>,
  key: KeyObject | Uint8Array = pair.privateKey,
  alg = 'ES256',
): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg }).sign(key);
}

async function held(
  token: string,
  given: Partial<JwtSettings> = { key: pem(pair.publicKey) },
  isForAgents = false,
): Promise<unknown> {
  const problems: Error[] = [];
  const tokens = new Tokens(jwtSettings(given), testClock(), (problem) => problems.push(problem));
  const found = await refusal(() => tokens.holder(token, isForAgents));
  expect(problems).toEqual([]);
  return found;
}

test('a token stands for who it names, with its claims', async () => {
  const token = await signed({ ...claims, roles: ['reader'], region: 'North' });
  expect(await held(token)).toEqual({
    name: 'ada',
    roles: ['reader'],
    claims: new Map<string, unknown>([
      ['iss', 'login'],
      ['aud', 'erp'],
      ['sub', 'ada'],
      ['exp', String(NOW + 600)],
      ['roles', ['reader']],
      ['region', 'North'],
      ['user', 'ada'],
    ]),
  });
});

describe('each kind of key', () => {
  const secret = 'a secret of thirty-two bytes, yes';
  test.each([
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['PS384', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['ES256', pair],
    ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['ES512', generateKeyPairSync('ec', { namedCurve: 'P-521' })],
    ['EdDSA', generateKeyPairSync('ed25519')],
  ])('%s', async (alg, { privateKey, publicKey }) => {
    const token = await signed(claims, privateKey, alg);
    expect(await held(token, { key: pem(publicKey) })).toMatchObject({ name: 'ada' });
  });

  test('HS256 with a secret', async () => {
    const token = await signed(claims, Buffer.from(secret), 'HS256');
    expect(await held(token, { secret })).toMatchObject({ name: 'ada' });
  });

  test('HS512 with a secret, where it is named', async () => {
    const long = secret + secret;
    const token = await signed(claims, Buffer.from(long), 'HS512');
    expect(await held(token, { secret: long, algorithms: ['HS512'] })).toMatchObject({
      name: 'ada',
    });
    expect(await held(token, { secret: long })).toEqual(notAccepted);
  });

  test('one of several issuers and audiences', async () => {
    const given = { key: pem(pair.publicKey), issuer: ['a', 'login'], audience: ['b', 'erp'] };
    expect(await held(await signed({ ...claims, aud: ['x', 'erp'] }), given)).toMatchObject({
      name: 'ada',
    });
  });

  test.each([
    ['https://erp.example.com/mcp', 'agents'],
    ['https://erp.example.com/api/MCP/', 'agents'],
    ['https://erp.example.com/rest', 'others'],
    ['https://erp.example.com/', 'all'],
    ['urn:erp/mcp', 'all'],
  ])('one for %s of %s', async (audience, users) => {
    const token = await signed({ ...claims, aud: audience });
    const given = { key: pem(pair.publicKey), audience: ['erp', audience] };
    const isHeld = async (isForAgents: boolean): Promise<boolean> =>
      !Array.isArray(await held(token, given, isForAgents));
    expect([await isHeld(true), await isHeld(false)]).toEqual([
      users !== 'others',
      users !== 'agents',
    ]);
  });
});

const notAccepted = ['notLoggedIn', 'The token’s signing algorithm is not accepted.'];
const wrongSignature = ['notLoggedIn', 'The token’s signature is wrong.'];
const noToken = ['notLoggedIn', 'This is neither an API key nor a token (JWT).'];

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A signed token whose claims are others. */
const but = (changed: object) => (): Promise<string> => signed({ ...claims, ...changed });
const tooLong = 'The token is longer than 16384 characters.';
const nameless = 'The token does not name its user: its claim sub is not text.';
const publicSecret = Buffer.from(pem(pair.publicKey));

const changed = async (): Promise<string> => {
  const [header = '', , signature = ''] = (await signed(claims)).split('.');
  return `${header}.${part({ ...claims, sub: 'root' })}.${signature}`;
};
const critical = (): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', crit: ['geheim'], geheim: 1 })
    .sign(pair.privateKey, { crit: { geheim: true } });

const logout = (): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'logout+JWT' }).sign(pair.privateKey);

test.each<[string, string | (() => Promise<string>), unknown]>([
  ['expired', but({ exp: NOW - 60 }), 'The token has expired.'],
  ['that never expires', but({ exp: undefined }), 'The token has no claim exp.'],
  ['for later', but({ nbf: NOW + 61 }), 'The token is not valid yet.'],
  ['for others', but({ aud: 'crm' }), 'The token is for another audience.'],
  ['for nobody', but({ aud: undefined }), 'The token has no claim aud.'],
  ['of others', but({ iss: 'evil' }), 'The token is from another issuer.'],
  ['of nobody', but({ iss: undefined }), 'The token has no claim iss.'],
  ['that expires sometime', but({ exp: 'soon' }), 'The token’s claim exp is of the wrong type.'],
  ['that names nobody', but({ sub: undefined }), nameless],
  ['whose name is empty', but({ sub: '' }), nameless],
  ['whose name is a list', but({ sub: ['ada'] }), nameless],
  ['whose name is null', but({ sub: null }), nameless],
  [
    'whose name is no name',
    but({ sub: 'ada\n' }),
    'The token does not name its user: its claim sub holds a control character.',
  ],
  ['signed by another key', () => signed(claims, other.privateKey), wrongSignature],
  ['that was changed', changed, wrongSignature],
  ['that nobody signed', `${part({ alg: 'none' })}.${part(claims)}.`, notAccepted],
  ['with the public key as a secret', () => signed(claims, publicSecret, 'HS256'), notAccepted],
  ['with a header that has to be understood', critical, notAccepted],
  ['that tells of a logout', logout, noToken],
  ['of nothing', '', noToken],
  ['that is none', 'geheim', noToken],
  ['of five parts', 'a.b.c.d.e', noToken],
  ['of three parts of nothing', '..', noToken],
  ['that is too long', but({ text: 'x'.repeat(16_384) }), tooLong],
])('a token %s', async (_, token, expected) => {
  const found = await held(typeof token === 'string' ? token : await token());
  expect(found).toEqual(typeof expected === 'string' ? ['notLoggedIn', expected] : expected);
});

test('clocks may differ by as much as is said', async () => {
  const token = await signed({ ...claims, exp: NOW - 59, nbf: NOW + 60 });
  expect(await held(token)).toMatchObject({ name: 'ada' });
  const key = pem(pair.publicKey);
  expect(await held(token, { key, clockSkewSeconds: 59 })).toEqual([
    'notLoggedIn',
    'The token is not valid yet.',
  ]);
});

const nested = (levels: number): unknown => (levels === 0 ? 'x' : { in: nested(levels - 1) });

describe('claims', () => {
  test('inside others have a name with dots, and all are text', () => {
    const payload = JSON.parse(
      `{"a":"x","n":1.5,"yes":true,"no":null,"list":["x",2,false],"empty":[],"mixed":["x",{}],"holes":["x",null],
        "address":{"country":"FR","geo":{"lat":48}},"https://example.com/tenant":"t","__proto__":{"admin":true},"constructor":"c"}`,
    ) as Record<string, unknown>;
    expect([...flatClaims(payload)]).toEqual([
      ['a', 'x'],
      ['n', '1.5'],
      ['yes', 'true'],
      ['list', ['x', '2', 'false']],
      ['empty', []],
      ['address.country', 'FR'],
      ['address.geo.lat', '48'],
      ['https://example.com/tenant', 't'],
      ['__proto__.admin', 'true'],
      ['constructor', 'c'],
    ]);
  });

  test('are as many and as deep as anybody needs', async () => {
    const many = (number: number): Record<string, unknown> =>
      Object.fromEntries(Array.from({ length: number }, (_, index) => [`c${index}`, index]));
    expect(flatClaims(many(256)).size).toBe(256);
    expect(await refusal(() => flatClaims(many(257)))).toEqual([
      'notLoggedIn',
      'The token has more than 256 claims.',
    ]);
    expect([...flatClaims({ a: nested(7) }).keys()]).toEqual([`a${'.in'.repeat(7)}`]);
    expect(await refusal(() => flatClaims({ a: nested(8) }))).toEqual([
      'notLoggedIn',
      'The token’s claims are nested too deeply.',
    ]);
  });

  test('of one name are not told apart', async () => {
    expect(await refusal(() => flatClaims({ 'a.b': 'x', a: { b: 'y' } }))).toEqual([
      'notLoggedIn',
      'The token has two claims of one name.',
    ]);
  });
});

// What a token has, how its roles are read, and which they are.
test.each(rows`
  {} | {} | []
  {roles: ['a b', c, c]} | {} | ['a b', c]
  {scope: " read  write\n"} | {rolesClaim: scope} | [read, write]
  {realm_access: {roles: [x]}} | {rolesClaim: realm_access.roles} | [x]
  {'https://example.com/roles': [x]} | {rolesClaim: 'https://example.com/roles'} | [x]
  {roles: {admin: true}} | {} | []
  {roles: [a, {b: 1}]} | {} | []
  # Words without another name are dropped.
  {roles: [ERP-Readers, ERP-Admins, constructor, __proto__]} | {roles: {ERP-Readers: reader}} | [reader]
  # No token is admin by itself, but one that is given it.
  {roles: [admin, a]} | {} | [a]
  {roles: [Root]} | {roles: {Root: admin}} | [admin]
  {roles: [a]} | {defaultRoles: [guest, a]} | [a, guest]
`)('the roles of %s, read by %s', (payload, given, expected) => {
  const reading = jwtSettings({ secret: 'x'.repeat(32), ...parsed(given) });
  const { roles } = claimsPrincipal(flatClaims({ sub: 'ada', ...parsed(payload) }), reading);
  expect(roles).toEqual(parsed(expected));
});

test('the name is that of the claim that is said, whatever else claims to be the user', () => {
  const reading = jwtSettings({ secret: 'x'.repeat(32), nameClaim: 'email.address' });
  expect(
    claimsPrincipal(
      flatClaims({ sub: '1', user: 'root', email: { address: 'ada@example.com' } }),
      reading,
    ),
  ).toEqual({
    name: 'ada@example.com',
    roles: [],
    claims: new Map([
      ['sub', '1'],
      ['user', 'ada@example.com'],
      ['email.address', 'ada@example.com'],
    ]),
  });
});
