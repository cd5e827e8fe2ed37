import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { passwordHashText } from '../../../src/access/auth/password-hash.ts';
import { Users } from '../../../src/access/auth/users.ts';
import { configSchema } from '../../../src/config/config.ts';
import { testFolder, type TestFolder } from '../../config/files.ts';
import { SOME_HASH } from './hashes.ts';
import { testClock } from './support.ts';

let folder: TestFolder;
beforeEach(async () => {
  folder = await testFolder();
});
afterEach(() => folder.remove());

const entry = (settings = ''): string => `{ password: '${SOME_HASH}'${settings} }`;

const { roles: known } = configSchema.parse({
  roles: { reader: { dataclasses: {} }, x: { dataclasses: {} } },
});
const config = { roles: known };

async function opened(text: string): Promise<{
  roles: (name: string) => Promise<readonly string[] | null>;
  users: Users;
  write: (text: string) => Promise<string>;
  path: string;
  pass: (seconds: number) => void;
  problems: string[];
}> {
  const write = (more: string): Promise<string> => folder.write('users.yaml', more);
  const path = await write(text);
  const clock = testClock();
  const problems: string[] = [];
  const users = await Users.open({
    path,
    config,
    clock,
    onProblem: ({ message, cause }) =>
      problems.push(`${message} ${(cause as Error).message}`.replaceAll(`${folder.path}/`, '')),
  });
  const roles = async (name: string): Promise<readonly string[] | null> =>
    (await users.find(name)).user?.roles ?? null;
  return { users, roles, write, path, pass: clock.pass, problems };
}

test('a file that was changed counts within a second', async () => {
  const { roles, write, pass, problems } = await opened(`users:\n  ada: ${entry()}\n`);
  expect(await roles('ada')).toEqual([]);
  await write(`users:\n  ada: ${entry(', roles: [reader]')}\n  bob: ${entry()}\n`);
  pass(0.9);
  expect(await roles('ada')).toEqual([]);
  pass(0.1);
  expect([await roles('ada'), await roles('bob')]).toEqual([['reader'], []]);
  await write(`users:\n  bob: ${entry()}\n`);
  pass(1);
  expect([await roles('ada'), await roles('bob')]).toEqual([null, []]);
  expect(problems).toEqual([]);
});

test('a file that has become wrong, or is gone, is told of once, and its users stay', async () => {
  const { roles, write, path, pass, problems } = await opened(`users:\n  ada: ${entry()}\n`);
  await write('users:\n  ada: { password: geheimwort }\n');
  for (let second = 0; second < 3; second += 1) {
    pass(1);
    expect(await roles('ada')).toEqual([]);
  }
  const stay = 'The users file cannot be read; the users stay as they were.';
  const wrong = `${stay} users.yaml:2:20: "users.ada.password": is not a hash of a password: make the entry with entitygate user`;
  expect(problems).toEqual([wrong]);
  await rm(path);
  for (let second = 0; second < 3; second += 1) {
    pass(1);
    expect(await roles('ada')).toEqual([]);
  }
  expect(problems).toEqual([wrong, `${stay} users.yaml: there is no such file`]);
  await write(`users:\n  bob: ${entry()}\n`);
  pass(1);
  expect([await roles('ada'), await roles('bob')]).toEqual([null, []]);
});

test('a role that there is not makes a file wrong, too', async () => {
  const { roles, write, pass, problems, path } = await opened(
    `users:\n  ada: ${entry(', roles: [reader]')}\n`,
  );
  await write(`users:\n  ada: ${entry(', roles: [ghost]')}\n`);
  pass(1);
  expect(await roles('ada')).toEqual(['reader']);
  expect(problems).toEqual([
    expect.stringMatching(
      /^The users file cannot be read; the users stay as they were\. users\.yaml:2:\d+: there is no role ghost\./,
    ),
  ]);
  await expect(
    Users.open({ path, config, clock: testClock(), onProblem: () => undefined }),
  ).rejects.toThrow('there is no role ghost.');
});

test('who is looked for at once is looked for in the new file', async () => {
  const { roles, write, pass } = await opened('users: {}');
  await write(`users:\n  ada: ${entry()}\n`);
  pass(1);
  expect(await Promise.all([roles('ada'), roles('ada'), roles('bob')])).toEqual([[], [], null]);
});

test('who does not exist, or may not log in, has a hash that costs as much as most others', async () => {
  const cheap = SOME_HASH.replace('ln=17', 'ln=16');
  const { users } = await opened(
    `users:\n  ada: { password: '${cheap}' }\n  bob: { password: '${cheap}' }\n` +
      `  cy: ${entry()}\n  dee: { password: '${cheap}', disabled: true }\n`,
  );
  for (const name of ['nobody', 'dee', 'constructor']) {
    const { user, stored } = await users.find(name);
    expect(user).toBeNull();
    expect(stored.cost).toEqual({ ln: 16, r: 8, p: 1 });
    expect(passwordHashText(stored)).not.toBe(cheap);
  }
  const { user, stored } = await users.find('cy');
  expect([user?.name, passwordHashText(stored)]).toEqual(['cy', SOME_HASH]);
});

test('a name is found however its accents are written', async () => {
  const { roles } = await opened(`users:\n  Zoe\u0308: ${entry(', roles: [x]')}\n`);
  expect([await roles('Zo\u00eb'), await roles('Zoe\u0308'), await roles('zo\u00eb')]).toEqual([
    ['x'],
    ['x'],
    null,
  ]);
});
