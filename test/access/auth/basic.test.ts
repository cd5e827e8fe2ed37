import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBasic } from '../../../src/access/auth/authentication.ts';
import { refusal } from './support.ts';

const printable = fc
  .string({ unit: 'grapheme' })
  .filter((text) => text.isWellFormed() && !/\p{Cc}/u.test(text));

test('any name without a colon and any password come back as they were sent', () => {
  fc.assert(
    fc.property(
      printable.filter((name) => !name.includes(':')),
      printable,
      (user, password) => {
        const encoded = Buffer.from(`${user}:${password}`).toString('base64');
        expect(readBasic(encoded)).toEqual({ user, password });
        expect(readBasic(encoded.replace(/=+$/, ''))).toEqual({ user, password });
      },
    ),
  );
});

test.each([
  ['RFC 7617 §2', 'QWxhZGRpbjpvcGVuIHNlc2FtZQ==', 'Aladdin', 'open sesame'],
  ['RFC 7617 §2.1, UTF-8', 'dGVzdDoxMjPCow==', 'test', '123£'],
  ['colons are the password’s', Buffer.from('a:b:c:').toString('base64'), 'a', 'b:c:'],
])('%s', (_, encoded, user, password) => {
  expect(readBasic(encoded)).toEqual({ user, password });
});

test.each([
  ['nothing', ''],
  ['no base64', 'geheim:wort'],
  ['base64url', 'w7_Dvzpi'],
  ['padding in the middle', 'YTpi=YTpi'],
  ['no colon', Buffer.from('geheimwort').toString('base64')],
  ['Latin-1', Buffer.from('ada:gehe\u00efm', 'latin1').toString('base64')],
  ['a line break', Buffer.from('ada:geheim\n').toString('base64')],
  ['U+0000', Buffer.from('a\0da:geheim').toString('base64')],
])('%s is refused, and not repeated', async (_, encoded) => {
  expect(await refusal(() => readBasic(encoded))).toEqual([
    'notLoggedIn',
    'The header Authorization holds no name and password: expected Basic and the base64 of name:password in UTF-8.',
  ]);
});

test('no header makes it do anything else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.base64String()), async (text) => {
      const read = await refusal(() => readBasic(text));
      const isRefused = Array.isArray(read) && read[0] === 'notLoggedIn';
      expect(isRefused || Object.keys(read as object).join() === 'user,password').toBe(true);
    }),
  );
});
