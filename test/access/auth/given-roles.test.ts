import { afterAll, beforeAll, expect, test } from 'vitest';
import { StartupError } from '../../../src/base/errors.ts';
import { checkGivenRoles, checkUserRoles } from '../../../src/access/auth/given-roles.ts';
import { readUsersFile } from '../../../src/access/auth/users-file.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { testFolder, type TestFolder } from '../../config/files.ts';
import { SOME_HASH } from './hashes.ts';

let folder: TestFolder;
beforeAll(async () => {
  folder = await testFolder();
});
afterAll(() => folder.remove());

function problemsOf(check: () => void): (readonly [where: unknown, message: string])[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return error.problems.map(({ where, message }) => [
      where?.replace(`${folder.path}/`, ''),
      message,
    ]);
  }
}

async function problemsIn(text: string): Promise<(readonly [where: unknown, message: string])[]> {
  const config = await loadConfig(await folder.write('config.yaml', text), {});
  return problemsOf(() => checkGivenRoles(config));
}

const unknown = (role: string): unknown =>
  expect.stringMatching(new RegExp(`^there is no role ${role}\\.`));

const roles = 'roles: { known: { dataclasses: {} } }\n';

test('every role that is given and is none is told, with its place', async () => {
  expect(
    await problemsIn(`authentication:
  anonymous: [a, known, admin]
  apiKeys:
    - { name: one, hash: 'sha256:${'0'.repeat(64)}', roles: [b] }
    - name: two
      hash: sha256:${'1'.repeat(64)}
      roles:
        - b
        - knwon
  users: users.yaml
  jwt:
    secret: ${'x'.repeat(32)}
    issuer: i
    audience: a
    roles:
      ERP-Readers: d
      https://example.com/x: d2
    defaultRoles: [e]
${roles}`),
  ).toEqual([
    ['config.yaml:2:15', unknown('a')],
    [expect.stringMatching(/^config\.yaml:4:\d+$/), unknown('b')],
    ['config.yaml:8:11', unknown('b')],
    ['config.yaml:9:11', 'there is no role knwon. Did you mean known?'],
    ['config.yaml:16:20', unknown('d')],
    ['config.yaml:15:5', unknown('d2')],
    ['config.yaml:18:20', unknown('e')],
  ]);
});

test('those of a users file, too', async () => {
  const path = await folder.write(
    'users.yaml',
    `users:\n  Zoe\u0308:\n    password: ${SOME_HASH}\n    roles: [known, f,\n      g, admin]\n`,
  );
  const config = await loadConfig(
    await folder.write('config.yaml', `authentication: { anonymous: [known] }\n${roles}`),
    {},
  );
  const file = await readUsersFile(path);
  expect(problemsOf(() => checkUserRoles(file, config))).toEqual([
    ['users.yaml:4:20', unknown('f')],
    ['users.yaml:5:7', unknown('g')],
  ]);
  expect(problemsOf(() => checkUserRoles(file, { roles: undefined })).length).toBe(3);
});

test.each([
  ['application: x\n', []],
  [
    roles,
    [['config.yaml:1:1', 'without authentication nobody has a role: configure authentication']],
  ],
  [`authentication: { anonymous: [] }\n${roles}`, []],
  ['authentication: { anonymous: [admin] }\n', []],
  ['authentication: { users: users.yaml }\n', []],
  [
    'authentication: { users: users.yaml, anonymous: [] }\n',
    [
      [
        'config.yaml:1:38',
        'is empty, but without roles requests without credentials may do everything: configure roles, leave it out to have ' +
          'them refused, or write [admin] where everybody may do everything',
      ],
    ],
  ],
])('roles and authentication go together in %j', async (text, problems) => {
  expect(await problemsIn(text)).toEqual(problems);
});
