import { expect, test } from 'vitest';
import { withUser } from '../../../src/access/auth/users-file.ts';
import { StartupError } from '../../../src/base/errors.ts';

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
