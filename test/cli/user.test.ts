import { chown, readFile, stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isPassword } from '../../src/access/auth/password-hash.ts';
import { readUsersFile } from '../../src/access/auth/users-file.ts';
import type { CommandInput } from '../../src/cli/io.ts';
import { SOME_HASH } from '../access/auth/support.ts';
import { testFolder, type TestFolder } from '../config/files.ts';
import { person } from './person.ts';
import { run, type Ended } from './run.ts';
import { parsed, rows } from '../rows.ts';

let folder: TestFolder;
beforeEach(async () => {
  folder = await testFolder();
});
afterEach(() => folder.remove());

/** Somebody, or something, that answers prompts for secrets. */
const answers = (isTerminal: boolean, ...lines: readonly string[]) => ({
  ...person(lines),
  isTerminal,
  readLine: () => Promise.reject(new Error('asked for what is shown')),
});

const user = (args: readonly string[], secret: CommandInput): Promise<Ended> =>
  run(['user', ...args], {}, secret.isTerminal, secret);

const file = (): string => `${folder.path}/users.yaml`;

/** Whether somebody in the file has a password. */
async function has(name: string, password: string): Promise<boolean> {
  const found = (await readUsersFile(file())).users.get(name);
  return found !== undefined && isPassword(password, found.password);
}

test('an entry is printed, which the users file takes', async () => {
  const secret = answers(true, 'correct horse', 'correct horse');
  const { code, out, error } = await user(
    ['ada', '--role', 'reader', '--claim', 'region=North', '--claim', 'x=1', '--claim', 'x=2'],
    secret,
  );
  expect([code, error, secret.asked]).toEqual([
    0,
    '',
    ['Password for ada: ', 'Repeat the password: '],
  ]);
  const [hash = ''] = /\$scrypt\S+/.exec(out) ?? [];
  expect(out.replace(hash, () => 'HASH')).toBe(`users:
  ada:
    password: HASH
    roles: [ reader ]
    claims: { region: North, x: [ '1', '2' ] }
`);
  await folder.write('users.yaml', out);
  expect(await has('ada', 'correct horse')).toBe(true);
});

test('a file is made, which only its owner reads, and entries are added and changed in it', async () => {
  const shown = `${folder.path}/users.yaml`;
  const piped = answers(false, 'correct horse');
  expect(await user(['ada', '--file', file(), '--role', 'r'], piped)).toEqual({
    code: 0,
    out: `ada: added to ${shown}. A running gateway reads the file within a second.\n`,
    error: '',
  });
  expect([(await stat(file())).mode & 0o777, piped.asked.length]).toEqual([0o600, 1]);
  await user(['Zoe\u0308', '--file', file()], answers(false, 'battery staple'));
  expect(await user(['ada', '--file', file()], answers(false, 'changed it'))).toEqual({
    code: 0,
    out: `ada: changed in ${shown}. A running gateway reads the file within a second.\n`,
    error: '',
  });
  expect([await has('ada', 'changed it'), await has('Zo\u00eb', 'battery staple')]).toEqual([
    true,
    true,
  ]);
  const { users } = await readUsersFile(file());
  expect([...users.values()].map(({ name, roles }) => [name, roles])).toEqual([
    ['ada', ['r']],
    ['Zo\u00eb', []],
  ]);
});

test.runIf(process.geteuid?.() === 0)('root leaves a file to whom it belongs', async () => {
  await user(['ada', '--file', file()], answers(false, 'correct horse'));
  await chown(file(), 12_345, 12_346);
  await user(['bob', '--file', file()], answers(false, 'correct horse'));
  const { uid, gid, mode } = await stat(file());
  expect([uid, gid, mode & 0o777]).toEqual([12_345, 12_346, 0o600]);
});

describe('refuses', () => {
  test.each(rows`
    true  | ['']                           | the password is empty
    false | ['']                           | the password is empty; it is the first line of standard input
    true  | [seven77]                      | the password has fewer than 8 characters
    true  | [correct horse, correct house] | the passwords differ
    false | [correct\thorse]               | the password holds control characters, or is longer than 1024 characters; it is the first line of standard input
  `)('%j %j', async (isTerminal, lines, message) => {
    const { code, out, error } = await user(
      ['ada', '--file', file()],
      answers(isTerminal === 'true', ...parsed<string[]>(lines)),
    );
    expect([code, out, error]).toEqual([1, '', `entitygate user:\n  ${message}\n`]);
    await expect(stat(file())).rejects.toThrow('ENOENT');
  });

  test.each(rows`
    []                | Missing argument: NAME, the name of the user
    ['a:b']           | NAME: holds a colon, which no name may
    [ada, geheim]     | Unexpected argument: geheim
    [ada, --claim, x] | --claim x: expected a name and a value, as region=North
    [ada, --role, ''] | --role: is empty
  `)('%j as a wrong command line', async (args, message) => {
    const { code, error } = await user(parsed<string[]>(args), answers(true));
    expect([code, error]).toEqual([2, `${message}. See "entitygate user --help".\n`]);
  });

  test('a file that is wrong, before anybody has typed a password', async () => {
    const text = 'users:\n  ada: { password: geheim }\n';
    await folder.write('users.yaml', text);
    const secret = answers(true);
    expect(await user(['bob', '--file', file()], secret)).toEqual({
      code: 1,
      out: '',
      error: `entitygate user:\n  ${file()}:2:20: "users.ada.password": is not a hash of a password: make the entry with entitygate user\n`,
    });
    expect([secret.asked, await readFile(file(), 'utf8')]).toEqual([[], text]);
  });

  test('an entry that others share', async () => {
    const text = `users:\n  ada: &a { password: '${SOME_HASH}' }\n  bob: *a\n`;
    await folder.write('users.yaml', text);
    const { code, error } = await user(['bob', '--file', file()], answers(false, 'correct horse'));
    expect([code, error]).toEqual([
      1,
      'entitygate user:\n  the entry of bob is shared with others by & and *: change it by hand\n',
    ]);
    expect(await readFile(file(), 'utf8')).toBe(text);
  });
});
