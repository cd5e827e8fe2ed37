import { expect, test } from 'vitest';
import { apiKeyHash, ApiKeys, makeApiKey } from '../../../src/access/auth/api-keys.ts';
import { refusal, testClock } from './support.ts';

const first = makeApiKey();
const second = makeApiKey();

function opened(expires?: string): { keys: ApiKeys; pass: (seconds: number) => void } {
  const clock = testClock();
  const keys = new ApiKeys(
    [
      {
        name: 'reporting',
        hash: `sha256:${apiKeyHash(first).toUpperCase()}`,
        roles: ['reader'],
        claims: { region: 'North', regions: ['North', 'South'] },
        expires,
      },
      { name: 'import', hash: `sha256:${apiKeyHash(second)}`, roles: [], claims: {} },
    ],
    clock,
  );
  return { keys, pass: clock.pass };
}

test('a key stands for its entry, whose name is a claim as well', () => {
  const { keys } = opened();
  expect(keys.holder(first)).toEqual({
    name: 'reporting',
    roles: ['reader'],
    claims: new Map<string, unknown>([
      ['region', 'North'],
      ['regions', ['North', 'South']],
      ['user', 'reporting'],
    ]),
  });
  expect(keys.holder(second)).toEqual({
    name: 'import',
    roles: [],
    claims: new Map([['user', 'import']]),
  });
});

test.each([
  ['2026-11-23', 12 * 3600],
  ['2026-11-22T13:00:00Z', 3600],
  ['2026-11-22T14:00:00+01:00', 3600],
])('a key that expires %s is taken until then', async (expires, seconds) => {
  const { keys, pass } = opened(expires);
  pass(seconds - 1);
  expect(keys.holder(first).name).toBe('reporting');
  pass(1);
  expect(await refusal(() => keys.holder(first))).toEqual([
    'notLoggedIn',
    'The API key has expired.',
  ]);
  expect(keys.holder(second).name).toBe('import');
});

test('a key that nobody was given, and what is not a key, are refused without a word of them', async () => {
  const { keys } = opened();
  expect(await refusal(() => keys.holder(makeApiKey()))).toEqual([
    'notLoggedIn',
    'The API key is not known.',
  ]);
  for (const text of ['', 'hunter2', first.slice(0, -1), `${first}, ${first}`]) {
    expect(await refusal(() => keys.holder(text))).toEqual([
      'notLoggedIn',
      'This is not an API key: expected egk_ and 48 characters, as they were given out.',
    ]);
  }
});
