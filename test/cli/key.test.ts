import { expect, test } from 'vitest';
import { apiKeyHash, isApiKey } from '../../src/access/auth/api-keys.ts';
import { loadConfig } from '../../src/config/load.ts';
import { sharedFolder } from '../config/files.ts';
import { run } from './run.ts';

const folder = await sharedFolder();

const NO_ROLE =
  '\nThe key has no role. Where config.yaml has roles, it may do nothing: add --role.\n';

/** The key that a command printed, and what it printed around it. */
async function made(...options: readonly string[]): Promise<{ key: string; text: string }> {
  const { code, out, error } = await run(['key', ...options]);
  expect([code, error]).toEqual([0, options.includes('--role') ? '' : NO_ROLE]);
  const [, key = ''] = /^ {2}(egk_.*)$/m.exec(out) ?? [];
  const text = out.replaceAll(key, 'KEY').replaceAll(apiKeyHash(key), 'HASH');
  return { key, text };
}

test('a key, and the entry that knows it', async () => {
  const { key, text } = await made('reporting');
  expect(isApiKey(key)).toBe(true);
  expect(text).toBe(`The key, shown only once:

  KEY

Its entry in config.yaml:

  authentication:
    apiKeys:
      - name: reporting
        hash: sha256:HASH
        roles: []
`);
});

test('with all that an entry may say, it is what the configuration reads', async () => {
  const { key, text } = await made(
    'night: "job"',
    ...['--role', 'reader', '--role', 'a, b'],
    ...['--claim', 'région=North', '--claim', 'x=1', '--claim', 'x=a=b', '--claim', 'e='],
    ...['--expires', '2027-01-31'],
  );
  expect(text).toContain(`        roles: [ reader, 'a, b' ]
        claims: { région: North, x: [ '1', a=b ], e: '' }
        expires: 2027-01-31
`);
  const [, entry = ''] = text.split('config.yaml:\n');
  const path = await folder.write('config.yaml', entry.replace('HASH', apiKeyHash(key)));
  expect((await loadConfig(path, {})).authentication).toEqual({
    apiKeys: [
      {
        name: 'night: "job"',
        hash: `sha256:${apiKeyHash(key)}`,
        roles: ['reader', 'a, b'],
        claims: { région: 'North', x: ['1', 'a=b'], e: '' },
        expires: '2027-01-31',
      },
    ],
  });
});

test.each([
  [[], 'Missing argument: NAME, the name of the client'],
  [[''], 'NAME: is empty'],
  [['a\nb'], 'NAME: holds a control character'],
  [['a', '--role', ''], '--role: is empty'],
  [['a', '--claim', 'region'], '--claim region: expected a name and a value, as region=North'],
  [['a', '--claim', '=x'], '--claim =x: expected a name and a value, as region=North'],
  [['a', '--claim', 'user=b'], '--claim: is reserved for the user’s name'],
  [
    ['a', '--claim', 'a b=c'],
    '--claim: is not a name of a claim, as filters name them: expected letters, digits and _ . : / -',
  ],
  [
    ['a', '--expires', '2027-02-30'],
    '--expires: is not a date such as 2027-01-31 or 2027-01-31T18:00:00Z',
  ],
])('%j is a wrong command line', async (args, message) => {
  expect(await run(['key', ...args])).toEqual({
    code: 2,
    out: '',
    error: `${message}. See "entitygate key --help".\n`,
  });
});
