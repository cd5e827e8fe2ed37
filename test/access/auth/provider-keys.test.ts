import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Tokens } from '../../../src/access/auth/tokens.ts';
import { ProviderKeys } from '../../../src/access/auth/provider-keys.ts';
import { jwtSettings, refusal, testClock, type TestClock } from './support.ts';
import { signer, startProvider, type IdentityProvider, type Signer } from './identity-provider.ts';

let first: Signer;
let second: Signer;
let third: Signer;
beforeAll(async () => {
  [first, second, third] = await Promise.all([signer('first'), signer('second'), signer('third')]);
});

let provider: IdentityProvider;
let clock: TestClock;
let problems: Error[];
let tokens: Tokens;
beforeEach(async () => {
  provider = await startProvider(first.jwk);
  clock = testClock();
  problems = [];
  tokens = new Tokens(jwtSettings({ jwks: provider.url }), clock, (problem) =>
    problems.push(problem),
  );
});
afterEach(() => provider.close());

const DAY = 24 * 3600;
const claims = { iss: 'login', aud: 'erp', sub: 'ada', exp: Date.parse('2027-01-01') / 1000 };

/** Who has a token that is signed so; or the error. */
async function holder(by: Signer, kid?: string | null): Promise<unknown> {
  const token = await by.sign(claims, kid === undefined ? undefined : kid === null ? {} : { kid });
  const found = await refusal(() => tokens.holder(token));
  return (found as { name?: string }).name ?? found;
}

const unknownKey = [
  'notLoggedIn',
  'The token is signed by a key that the identity provider does not have.',
];
const away = [
  'identityProviderAway',
  'The identity provider’s signing keys cannot be fetched at the moment. Try again later.',
];

test('keys are asked for with the first token, once for many at once', async () => {
  expect(provider.asked()).toBe(0);
  expect(await Promise.all([holder(first), holder(first), holder(first)])).toEqual([
    'ada',
    'ada',
    'ada',
  ]);
  expect(await holder(first)).toBe('ada');
  expect(provider.asked()).toBe(1);
});

test('a new key is had when a token names it, and the old one serves as long as the provider has it', async () => {
  await holder(first);
  clock.pass(30);
  provider.keys = [first.jwk, second.jwk];
  expect([await holder(second), await holder(first), provider.asked()]).toEqual(['ada', 'ada', 2]);
  provider.keys = [second.jwk];
  clock.pass(601);
  await holder(second);
  await expect.poll(() => holder(first)).toEqual(unknownKey);
  expect(await holder(second)).toBe('ada');
});

test('tokens that name keys at random make the provider be asked twice a minute at most', async () => {
  await holder(first);
  for (let index = 0; index < 20; index += 1) {
    expect(await holder(third, `random ${index}`)).toEqual(unknownKey);
  }
  expect(provider.asked()).toBe(1);
  clock.pass(30);
  for (let index = 0; index < 20; index += 1) {
    expect(await holder(third, `random ${index}`)).toEqual(unknownKey);
  }
  expect(provider.asked()).toBe(2);
});

describe.each([
  ['away', /^fetch failed: .*closed|^fetch failed: read ECONNRESET$/],
  ['failing', /^Expected 200 OK from the JSON Web Key Set HTTP response$/],
  ['babbling', /^Failed to parse the JSON Web Key Set HTTP response as JSON: it is not JSON$/],
] as const)('a provider that is %s', (mood, why) => {
  test('is told as such from the start, and asked again after a pause', async () => {
    provider.mood = mood;
    expect(await holder(first)).toEqual(away);
    expect(await holder(first)).toEqual(away);
    expect(provider.asked()).toBe(1);
    provider.mood = 'well';
    clock.pass(29);
    expect(await holder(first)).toEqual(away);
    clock.pass(1);
    expect(await holder(first)).toBe('ada');
    expect(provider.asked()).toBe(2);
    const { host } = new URL(provider.url);
    const problem = `The identity provider’s signing keys cannot be fetched from ${host}: `;
    expect(problems).toHaveLength(1);
    const { message = '', stack } = problems[0] ?? {};
    expect(stack).toBe(message);
    expect(message.slice(0, problem.length)).toBe(problem);
    expect(message.slice(problem.length)).toMatch(why);
  });

  test('takes nothing from those whose keys are known, for a day', async () => {
    await holder(first);
    provider.mood = mood;
    clock.pass(DAY - 1);
    expect(await holder(first)).toBe('ada');
    await expect.poll(() => problems.length).toBe(1);
    expect(await holder(second)).toEqual(away);
    clock.pass(1);
    expect(await holder(first)).toBe('ada');
    clock.pass(60);
    expect(await holder(first)).toEqual(away);
    provider.mood = 'well';
    clock.pass(30);
    expect(await holder(first)).toBe('ada');
  });
});

test('a provider that is silent is given up', async () => {
  provider.mood = 'silent';
  const keys = new ProviderKeys(provider.url, clock, (problem) => problems.push(problem), 20);
  const [header = ''] = (await first.sign(claims)).split('.');
  const protectedHeader = JSON.parse(Buffer.from(header, 'base64url').toString()) as {
    alg: string;
  };
  const token = { payload: '', signature: '' };
  expect(await refusal(() => keys.find(protectedHeader, token))).toEqual(away);
});

test('a token that names no key is checked by each that fits', async () => {
  provider.keys = [second.jwk, first.jwk];
  expect(await holder(first, null)).toBe('ada');
  expect(await holder(second, null)).toBe('ada');
  expect(await holder(third, null)).toEqual(['notLoggedIn', 'The token’s signature is wrong.']);
});

test('a key that is of no use is told of', async () => {
  const { jwk } = first;
  provider.keys = [{ ...jwk, x: 'AAAA' }];
  expect(await holder(first)).toEqual(['notLoggedIn', 'The token’s signing key cannot be used.']);
  expect(problems).toHaveLength(1);
});
