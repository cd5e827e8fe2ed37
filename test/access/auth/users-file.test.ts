import { afterAll, beforeAll, expect, test } from 'vitest';
import { passwordHashText } from '../../../src/access/auth/password-hash.ts';
import { readUsersFile } from '../../../src/access/auth/users-file.ts';
import { startupProblems, testFolder, type TestFolder } from '../../config/files.ts';
import { SOME_HASH } from './hashes.ts';

let folder: TestFolder;
beforeAll(async () => {
  folder = await testFolder();
});
afterAll(() => folder.remove());

async function problems(text: string): Promise<string[] | null> {
  const path = await folder.write('users.yaml', text);
  return startupProblems(() => readUsersFile(path), folder);
}

test('users by their names, with what they are given', async () => {
  const path = await folder.write(
    'users.yaml',
    `users:
  ada: { password: '${SOME_HASH}', roles: [reader, writer], claims: { region: North, regions: [A, B] } }
  Zoe\u0308:
    password: ${SOME_HASH}
    disabled: true
  constructor: { password: '${SOME_HASH}' }
`,
  );
  const { users, locate } = await readUsersFile(path);
  expect(
    [...users.values()].map(({ password, ...rest }) => [passwordHashText(password), rest]),
  ).toEqual([
    [
      SOME_HASH,
      {
        name: 'ada',
        written: 'ada',
        roles: ['reader', 'writer'],
        claims: { region: 'North', regions: ['A', 'B'] },
        disabled: false,
      },
    ],
    [SOME_HASH, { name: 'Zo\u00eb', written: 'Zoe\u0308', roles: [], claims: {}, disabled: true }],
    [
      SOME_HASH,
      { name: 'constructor', written: 'constructor', roles: [], claims: {}, disabled: false },
    ],
  ]);
  expect([...users.keys()]).toEqual(['ada', 'Zo\u00eb', 'constructor']);
  expect(locate(['users', 'ada', 'roles', '1'])).toBe(
    `${path}:2:${`  ada: { password: '${SOME_HASH}', roles: [reader, `.length + 1}`,
  );
});

test('a file without users is one', async () => {
  expect(await problems('users: {}')).toBeNull();
});

const noHash = 'is not a hash of a password: make the entry with entitygate user';

test.each([
  ['', ['users.yaml:1:1: "users": expected names with their values, found nothing']],
  ['users:', ['users.yaml:1:1: "users": expected names with their values, found nothing']],
  [
    'usrs: {}',
    expect.arrayContaining(['users.yaml:1:1: unknown setting "usrs". Did you mean users?']),
  ],
  ['users:\n  ada: {}', ['users.yaml:2:3: "users.ada.password": expected a text, found nothing']],
  ['users:\n  ada: { password: geheimwort }', [`users.yaml:2:20: "users.ada.password": ${noHash}`]],
  [
    'users:\n  ada: { password: 12345678 }',
    ['users.yaml:2:20: "users.ada.password": expected a text, found a number. Write it in quotes.'],
  ],
  [
    'users:\n  ada: geheimwort',
    ['users.yaml:2:8: "users.ada": expected { password }, found a text'],
  ],
  [
    'users: [geheimwort]',
    ['users.yaml:1:1: "users": expected names with their values, found a list'],
  ],
  [
    `users:\n  ada: { pasword: '${SOME_HASH}' }`,
    expect.arrayContaining(['users.yaml:2:10: unknown setting "pasword". Did you mean password?']),
  ],
  [
    `users:\n  ada: { password: '${SOME_HASH}', roles: reader }`,
    [expect.stringMatching(/"users\.ada\.roles": expected a list, found a text$/)],
  ],
  [
    `users:\n  ada: { password: '${SOME_HASH}', roles: [''] }`,
    [expect.stringMatching(/"users\.ada\.roles\.0": is empty$/)],
  ],
  [
    `users:\n  ada: { password: '${SOME_HASH}', claims: { level: 42 } }`,
    [
      expect.stringMatching(
        /"users\.ada\.claims\.level": expected a text or a list, found a number\. Write it in quotes\.$/,
      ),
    ],
  ],
  [
    `users:\n  ada: { password: '${SOME_HASH}', claims: { user: bob } }`,
    [expect.stringMatching(/"user": is reserved for the user’s name$/)],
  ],
  [
    `users:\n  ada: { password: '${SOME_HASH}', claims: { 'a b': c } }`,
    [
      expect.stringMatching(
        /"a b": is not a name of a claim, as filters name them: expected letters/,
      ),
    ],
  ],
  [
    `users:\n  'a:b': { password: '${SOME_HASH}' }`,
    ['users.yaml:2:3: "a:b": holds a colon, which no name may'],
  ],
  [
    `users:\n  "a\\tb": { password: '${SOME_HASH}' }`,
    ['users.yaml:2:3: "a\\u0009b": holds a control character'],
  ],
  [
    `users:\n  __proto__: { password: '${SOME_HASH}' }`,
    ['users.yaml:2:3: "__proto__" cannot be a name: give another one'],
  ],
  [
    `users:\n  Zoe\u0308: { password: '${SOME_HASH}' }\n  Zo\u00eb: { password: '${SOME_HASH}' }`,
    ['users.yaml:3:3: names a user who has an entry already, written with other characters'],
  ],
  [
    'ada:$2y$10$abcdefghijklmnopqrstuv\nbob:$2y$10$abcdefghijklmnopqrstuv',
    ['users.yaml: is not a file of users: expected users: and below it an entry for each'],
  ],
])('%j keeps the gateway from starting', async (text, expected) => {
  const found = await problems(text);
  expect(found).toEqual(expected);
  expect(found?.join('\n')).not.toMatch(/geheim|12345678|\$scrypt|\$2y/);
});

test('a file that is not there', async () => {
  expect(await startupProblems(() => readUsersFile(`${folder.path}/none.yaml`), folder)).toEqual([
    'none.yaml: there is no such file',
  ]);
});
