import { expect, test } from 'vitest';
import { rm } from 'node:fs/promises';
import { passwordHashText } from '../../../src/access/auth/password-hash.ts';
import { readUsersFile, withUser } from '../../../src/access/auth/users-file.ts';
import { sharedFolder, startupProblems } from '../../config/files.ts';
import { SOME_HASH, testClock } from './support.ts';
import { parsed, rows } from '../../rows.ts';
import { StartupError } from '../../../src/base/errors.ts';
import { Users } from '../../../src/access/auth/users.ts';
import { configSchema } from '../../../src/config/config.ts';
import { checkGivenRoles, checkUserRoles } from '../../../src/access/auth/given-roles.ts';
import { loadConfig } from '../../../src/config/load.ts';

const folder = await sharedFolder();

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

const noHash = 'is not a hash of a password: make the entry with entitygate user';
const noNames = 'users.yaml:1:1: "users": expected names with their values, found';

// The text, with H for a hash, and what is wrong with it.
test.each(rows`
  users: {} | null
  ${''} | ['${noNames} nothing']
  users: | ['${noNames} nothing']
  users: [geheimwort] | ['${noNames} a list']
  ada:$2y$10$abcdefghijklmnopqrstuv\nbob:$2y$10$abcdefghijklmnopqrstuv
    | ['users.yaml: is not a file of users: expected users: and below it an entry for each']
  users:\n  ada: {} | ['users.yaml:2:3: "users.ada.password": expected a text, found nothing']
  users:\n  ada: geheimwort | ['users.yaml:2:8: "users.ada": expected { password }, found a text']
  users:\n  ada: { password: geheimwort } | ['users.yaml:2:20: "users.ada.password": ${noHash}']
  users:\n  ada: { password: 12345678 }
    | ['users.yaml:2:20: "users.ada.password": expected a text, found a number. Write it in quotes.']
  users:\n  ada: { roles: reader, password: H } | ['users.yaml:2:17: "users.ada.roles": expected a list, found a text']
  users:\n  ada: { roles: [''], password: H } | ['users.yaml:2:18: "users.ada.roles.0": is empty']
  users:\n  ada: { claims: { level: 42 }, password: H }
    | ['users.yaml:2:27: "users.ada.claims.level": expected a text or a list, found a number. Write it in quotes.']
  users:\n  ada: { claims: { user: bob }, password: H } | ['users.yaml:2:20: "user": is reserved for the user’s name']
  users:\n  ada: { claims: { 'a b': c }, password: H }
    | ['users.yaml:2:20: "a b": is not a name of a claim, as filters name them: expected letters, digits and _ . : / -']
  users:\n  'a:b': { password: H } | ['users.yaml:2:3: "a:b": holds a colon, which no name may']
  users:\n  "a\\tb": { password: H } | ['users.yaml:2:3: "a\\u0009b": holds a control character']
  users:\n  __proto__: { password: H } | ['users.yaml:2:3: "__proto__" cannot be a name: give another one']
  users:\n  Zoe\u0308: { password: H }\n  Zo\u00eb: { password: H }
    | ['users.yaml:3:3: names a user who has an entry already, written with other characters']
`)('%j is no file of users', async (text, expected) => {
  const found = await problems(text.replaceAll('H', `'${SOME_HASH}'`));
  expect(found).toEqual(parsed(expected));
  expect(String(found)).not.toMatch(/geheim|12345678|\$scrypt|\$2y/);
});

test.each([
  ['usrs: {}', 'users.yaml:1:1: unknown setting "usrs". Did you mean users?'],
  [
    "users:\n  ada: { pasword: 'H' }",
    'users.yaml:2:10: unknown setting "pasword". Did you mean password?',
  ],
])('%j has a setting that there is not', async (text, expected) => {
  expect(await problems(text)).toContain(expected);
});

test('a file that is not there', async () => {
  expect(await startupProblems(() => readUsersFile(`${folder.path}/none.yaml`), folder)).toEqual([
    'none.yaml: there is no such file',
  ]);
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
  expect([isNew, text]).toEqual([true, `${file}  'bob: 2':\n    password: $new$\n    roles: []\n`]);
});

const entries: readonly [string, string, Parameters<typeof withUser>[2], string][] = [
  [file, 'ada', { password: '$new$' }, file.replace('$old$,', () => '$new$,')],
  [
    file,
    'Zo\u00eb',
    { password: '$new$', roles: ['x'], claims: {} },
    file
      .replace("'$old$' # weak", () => '$new$ # weak')
      .replace('[ y ] # for now\n', '[ x ] # for now\n    claims: {}\n'),
  ],
  [
    file,
    'ada',
    { password: '$new$', roles: [], claims: { c: 'd' } },
    file.replace(/\{ password.*\} #/, () => '{ password: $new$, roles: [], claims: { c: d } } #'),
  ],
  [
    'users: {}\n',
    'ada',
    { password: '$new$' },
    'users:\n  ada:\n    password: $new$\n    roles: []\n',
  ],
  [
    'users:\n  42: { password: $old$ }\n',
    '42',
    { password: '$new$' },
    'users:\n  42: { password: $new$ }\n',
  ],
];
test.each(entries)(
  'in %j the entry of %s gets %j, and keeps what is not given',
  (before, name, given, after) => {
    expect(withUser(before, name, given).text).toBe(after);
  },
);

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

const problemsOf = (check: () => void): Promise<string[] | null> =>
  startupProblems(() => Promise.resolve().then(check), folder);

async function problemsIn(text: string): Promise<string[] | null> {
  const config = await loadConfig(await folder.write('config.yaml', text), {});
  return problemsOf(() => checkGivenRoles(config));
}

const unknown = (place: string, role: string): unknown =>
  expect.stringMatching(new RegExp(`^${place}: there is no role ${role}\\.`));

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
    unknown('config.yaml:2:15', 'a'),
    unknown('config.yaml:4:\\d+', 'b'),
    unknown('config.yaml:8:11', 'b'),
    'config.yaml:9:11: there is no role knwon. Did you mean known?',
    unknown('config.yaml:16:20', 'd'),
    unknown('config.yaml:15:5', 'd2'),
    unknown('config.yaml:18:20', 'e'),
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
  expect(await problemsOf(() => checkUserRoles(file, config))).toEqual([
    unknown('users.yaml:4:20', 'f'),
    unknown('users.yaml:5:7', 'g'),
  ]);
  const none = { roles: undefined };
  expect((await problemsOf(() => checkUserRoles(file, none)))?.length).toBe(3);
});

test.each(rows`
  application: x
  ${knownRole} | config.yaml:1:1: without authentication nobody has a role: configure authentication
  authentication: { anonymous: [] }\n${knownRole}
  authentication: { anonymous: [admin] }
  authentication: { users: users.yaml }
  authentication: { users: users.yaml, anonymous: [] } | config.yaml:1:38: is empty, but without roles requests without credentials may do everything: configure roles, leave it out to have them refused, or write [admin] where everybody may do everything
`)('roles and authentication go together in %j', async (text, ...expected) => {
  expect((await problemsIn(text)) ?? []).toEqual(expected);
});
