import { afterAll, beforeAll, expect, test } from 'vitest';
import { givenRoles } from '../../src/auth/given-roles.ts';
import { loadConfig } from '../../src/config/load.ts';
import { testFolder, type TestFolder } from '../config/files.ts';
import { SOME_HASH } from './hashes.ts';

let folder: TestFolder;
beforeAll(async () => {
  folder = await testFolder();
});
afterAll(() => folder.remove());

async function given(text: string): Promise<[string, string][]> {
  const path = await folder.write('config.yaml', text);
  const roles = await givenRoles(await loadConfig(path, {}));
  return roles.map(({ role, where }) => [role, where.replace(`${folder.path}/`, '')]);
}

test('every role that is given, with its place', async () => {
  await folder.write(
    'users.yaml',
    `users:\n  Zoe\u0308:\n    password: ${SOME_HASH}\n    roles: [f,\n      g]\n`,
  );
  expect(
    await given(`authentication:
  anonymous: [a]
  apiKeys:
    - { name: one, hash: 'sha256:${'0'.repeat(64)}', roles: [b] }
    - name: two
      hash: sha256:${'1'.repeat(64)}
      roles:
        - b
        - c
  users: users.yaml
  jwt:
    secret: ${'x'.repeat(32)}
    issuer: i
    audience: a
    roles:
      ERP-Readers: d
      https://example.com/x: d2
    defaultRoles: [e]
`),
  ).toEqual([
    ['a', 'config.yaml:2:15'],
    ['b', expect.stringMatching(/^config\.yaml:4:\d+$/)],
    ['b', 'config.yaml:8:11'],
    ['c', 'config.yaml:9:11'],
    ['d', 'config.yaml:16:20'],
    ['d2', 'config.yaml:15:5'],
    ['e', 'config.yaml:18:20'],
    ['f', 'users.yaml:4:13'],
    ['g', 'users.yaml:5:7'],
  ]);
});

test('none, where nobody is asked', async () => {
  expect(await given('application: x\n')).toEqual([]);
});
