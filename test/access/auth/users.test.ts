import { afterAll, beforeAll, expect, test } from 'vitest';
import { rm } from 'node:fs/promises';
import { passwordHashText } from '../../../src/access/auth/password-hash.ts';
import { readUsersFile, withUser } from '../../../src/access/auth/users-file.ts';
import { startupProblems, testFolder, type TestFolder } from '../../config/files.ts';
import { SOME_HASH, testClock } from './support.ts';
import { StartupError } from '../../../src/base/errors.ts';
import { Users } from '../../../src/access/auth/users.ts';
import { configSchema } from '../../../src/config/config.ts';
import { checkGivenRoles, checkUserRoles } from '../../../src/access/auth/given-roles.ts';
import { loadConfig } from '../../../src/config/load.ts';

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

/** What is below `users:`, with H for a hash, and what is wrong with it; its position is open behind `…`. */
const wrongUsers = `
ada: {} | 2:3: "users.ada.password": expected a text, found nothing
ada: { password: geheimwort } | 2:20: "users.ada.password": ${noHash}
ada: { password: 12345678 } | 2:20: "users.ada.password": expected a text, found a number. Write it in quotes.
ada: geheimwort | 2:8: "users.ada": expected { password }, found a text
ada: { password: 'H', roles: reader } | …"users.ada.roles": expected a list, found a text
ada: { password: 'H', roles: [''] } | …"users.ada.roles.0": is empty
ada: { password: 'H', claims: { level: 42 } } | …"users.ada.claims.level": expected a text or a list, found a number. Write it in quotes.
ada: { password: 'H', claims: { user: bob } } | …"user": is reserved for the user’s name
ada: { password: 'H', claims: { 'a b': c } } | …"a b": is not a name of a claim, as filters name them: expected letters, digits and _ . : / -
'a:b': { password: 'H' } | 2:3: "a:b": holds a colon, which no name may
"a\\tb": { password: 'H' } | 2:3: "a\\u0009b": holds a control character
__proto__: { password: 'H' } | 2:3: "__proto__" cannot be a name: give another one`;

const SECRETS = /geheim|12345678|\$scrypt|\$2y/;

test.each(
  wrongUsers
    .trim()
    .split('\n')
    .map((row) => row.split(' | ')),
)('%s keeps the gateway from starting', async (entry = '', message = '') => {
  const found = await problems(`users:\n  ${entry.replaceAll('H', SOME_HASH)}`);
  const isOpen = message.startsWith('…');
  const told = found?.map((one) => (isOpen ? `…${one.slice(1 - message.length)}` : one));
  expect(told).toEqual([isOpen ? message : `users.yaml:${message}`]);
  expect(found?.join('\n')).not.toMatch(SECRETS);
});

test.each([
  ['', ['users.yaml:1:1: "users": expected names with their values, found nothing']],
  ['users:', ['users.yaml:1:1: "users": expected names with their values, found nothing']],
  [
    'users: [geheimwort]',
    ['users.yaml:1:1: "users": expected names with their values, found a list'],
  ],
  [
    'usrs: {}',
    expect.arrayContaining(['users.yaml:1:1: unknown setting "usrs". Did you mean users?']),
  ],
  [
    `users:\n  ada: { pasword: '${SOME_HASH}' }`,
    expect.arrayContaining(['users.yaml:2:10: unknown setting "pasword". Did you mean password?']),
  ],
  [
    `users:\n  Zoe\u0308: { password: '${SOME_HASH}' }\n  Zo\u00eb: { password: '${SOME_HASH}' }`,
    ['users.yaml:3:3: names a user who has an entry already, written with other characters'],
  ],
  [
    'ada:$2y$10$abcdefghijklmnopqrstuv\nbob:$2y$10$abcdefghijklmnopqrstuv',
    ['users.yaml: is not a file of users: expected users: and below it an entry for each'],
  ],
])('%j is not a file of users', async (text, expected) => {
  const found = await problems(text);
  expect(found).toEqual(expected);
  expect(found?.join('\n')).not.toMatch(SECRETS);
});

test('a file that is not there', async () => {
  expect(await startupProblems(() => readUsersFile(`${folder.path}/none.yaml`), folder)).toEqual([
    'none.yaml: there is no such file',
  ]);
});

test('a new file has a line that says what it is', () => {
  expect(
    withUser(null, 'ada', { password: '$x$', roles: ['reader'], claims: { a: ['1', '2'] } }),
  ).toEqual({
    text: `# Who logs in with a name and a password; entitygate user NAME --file adds and changes entries.

users:
  ada:
    password: $x$
    roles: [ reader ]
    claims: { a: [ '1', '2' ] }
`,
    isNew: true,
  });
});

const file = `# All of us.
users:
  # The boss.
  ada: { password: $old$, roles: [ reader ], claims: { a: b } } # Since 1843.
  Zoe\u0308:
    password: '$old$' # weak
    disabled: true
    roles: [ y ] # for now
`;

test('an entry is added behind the others, which stay as they are', () => {
  const { text, isNew } = withUser(file, 'bob: 2', { password: '$new$' });
  expect(isNew).toBe(true);
  expect(text).toBe(`${file}  'bob: 2':\n    password: $new$\n    roles: []\n`);
});

test('an entry that is there gets the password, and keeps what is not given', () => {
  expect(withUser(file, 'ada', { password: '$new$' })).toEqual({
    text: file.replace('ada: { password: $old$', 'ada: { password: $new$'),
    isNew: false,
  });
  expect(withUser(file, 'Zo\u00eb', { password: '$new$', roles: ['x'], claims: {} }).text).toBe(
    file
      .replace("'$old$' # weak", () => '$new$ # weak')
      .replace('[ y ] # for now\n', '[ x ] # for now\n    claims: {}\n'),
  );
  expect(
    withUser(file, 'ada', { password: '$new$', roles: [], claims: { c: 'd' } }).text,
  ).toContain('ada: { password: $new$, roles: [], claims: { c: d } } # Since 1843.');
});

test.each([
  ['users: {}\n', 'ada', 'users:\n  ada:\n    password: $new$\n    roles: []\n'],
  ['users:\n  42: { password: $old$ }\n', '42', 'users:\n  42: { password: $new$ }\n'],
])('%j', (before, name, after) => {
  expect(withUser(before, name, { password: '$new$' }).text).toBe(after);
});

test.each([
  ['users:\n  ada: &a { password: $old$ }\n  bob: *a\n', 'ada', 'the entry of ada'],
  ['users:\n  ada: &a { password: $old$ }\n  bob: *a\n', 'bob', 'the entry of bob'],
  ['users:\n  ada: { password: &p $old$ }\n  bob: { password: *p }\n', 'ada', '"password" of ada'],
  ['a: &u {}\nusers: *u\n', 'ada', '"users"'],
])('%j: what others share is changed by hand', (shared, name, what) => {
  expect(() => withUser(shared, name, { password: '$new$' })).toThrow(
    new StartupError([
      { where: null, message: `${what} is shared with others by & and *: change it by hand` },
    ]),
  );
});

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

const knownRole = 'roles: { known: { dataclasses: {} } }\n';

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
${knownRole}`),
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
    await folder.write('config.yaml', `authentication: { anonymous: [known] }\n${knownRole}`),
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
    knownRole,
    [['config.yaml:1:1', 'without authentication nobody has a role: configure authentication']],
  ],
  [`authentication: { anonymous: [] }\n${knownRole}`, []],
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
