import { describe, expect, test } from 'vitest';
import { flatClaims, tokenPrincipal, type TokenReading } from '../../../src/access/auth/tokens.ts';
import { jwtSettings } from './jwt-settings.ts';
import { refusal } from './support.ts';

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

function roles(payload: Record<string, unknown>, given: Partial<TokenReading>): readonly string[] {
  return tokenPrincipal(
    { sub: 'ada', ...payload },
    jwtSettings({ secret: 'x'.repeat(32), ...given }),
  ).roles;
}

test.each<[string, Record<string, unknown>, Partial<TokenReading>, string[]]>([
  ['none', {}, {}, []],
  ['a list', { roles: ['a b', 'c', 'c'] }, {}, ['a b', 'c']],
  ['a text of words', { scope: ' read  write\n' }, { rolesClaim: 'scope' }, ['read', 'write']],
  [
    'inside another claim',
    { realm_access: { roles: ['x'] } },
    { rolesClaim: 'realm_access.roles' },
    ['x'],
  ],
  [
    'in a claim whose name has dots',
    { 'https://example.com/roles': ['x'] },
    { rolesClaim: 'https://example.com/roles' },
    ['x'],
  ],
  ['of another type', { roles: { admin: true } }, {}, []],
  ['with things that are not roles', { roles: ['a', { b: 1 }] }, {}, []],
  [
    'by other names; words without one are dropped',
    { roles: ['ERP-Readers', 'ERP-Admins', 'constructor', '__proto__'] },
    { roles: { 'ERP-Readers': 'reader' } },
    ['reader'],
  ],
  ['admin is none that a token has by itself', { roles: ['admin', 'a'] }, {}, ['a']],
  ['but one that it is given', { roles: ['Root'] }, { roles: { Root: 'admin' } }, ['admin']],
  ['and those of everybody', { roles: ['a'] }, { defaultRoles: ['guest', 'a'] }, ['a', 'guest']],
])('roles: %s', (_, payload, given, expected) => {
  expect(roles(payload, given)).toEqual(expected);
});

test('the name is that of the claim that is said, whatever else claims to be the user', () => {
  const reading = jwtSettings({ secret: 'x'.repeat(32), nameClaim: 'email.address' });
  expect(
    tokenPrincipal({ sub: '1', user: 'root', email: { address: 'ada@example.com' } }, reading),
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

test.each([{}, { sub: '' }, { sub: ['ada'] }, { sub: null }])(
  '%j names nobody',
  async (payload) => {
    const reading = jwtSettings({ secret: 'x'.repeat(32) });
    expect(await refusal(() => tokenPrincipal(payload, reading))).toEqual([
      'notLoggedIn',
      'The token does not name its user: its claim sub is not text.',
    ]);
  },
);
