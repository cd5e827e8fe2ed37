import { expect, test } from 'vitest';
import { nameHint, nearestNames } from '../../src/base/names.ts';
import { wordsOf } from '../../src/base/words.ts';
import { parsed, rows } from '../rows.ts';

test.each(rows`
  LASTNAME | [firstName, lastName, salary] | [lastName]
  name     | [firstName, lastName, salary] | [lastName, firstName]
  foo      | [ID, two]
  xx       | [ID]
  x        | ['y']
  identity | [ID]
  abc      | [xyc]
  $foo     | [$top, $skip, $filter]
  eval     | [email]
  host     | [HostNameInCertificate, Host Name In Certificate]
`)('%s: of %s these are near', (unknown, known, near = '[]') => {
  expect(nearestNames(unknown, parsed(known))).toEqual(parsed(near));
});

test.each([
  ['lastNam', 'lastName'],
  ['fristName', 'firstName'],
  ['employr', 'employer'],
  ['$filer', '$filter'],
  ['$sikp', '$skip'],
  ['$to', '$top'],
  ['emial', 'email'],
  ['nmae', 'name'],
  ['cod', 'code'],
  ['mangr', 'manager'],
  ['name', 'manufacturerName'],
])('%s is near to %s', (unknown, known) => {
  expect(nearestNames(unknown, [known])).toEqual([known]);
});

test('a hint names the nearest, or the few that are known', () => {
  expect(nameHint('salery', ['firstName', 'salary'])).toBe(' Did you mean salary?');
  expect(nameHint('zzz', ['firstName', 'salary'])).toBe(' Known: firstName, salary.');
  const many = Array.from({ length: 13 }, (_, index) => `column${index}`);
  expect(nameHint('zzz', many)).toBe('');
});

test.each([
  ['TBL_ORD_HDR', ['TBL', 'ORD', 'HDR']],
  ['Order Details', ['Order', 'Details']],
  ['orderLine', ['order', 'Line']],
  ['HTTPServer', ['HTTP', 'Server']],
  ['DISC]PCT', ['DISC', 'PCT']],
  ['Straße', ['Strasse']],
  ['Ærø', ['AEro']],
  ['Ménü', ['Menu']],
  ['名前', ['名前']],
  ['受注_明細', ['受注', '明細']],
  ['ガ行', ['ガ行']],
  ['Ёлка No', ['Ёлка', 'No']],
  ['ЗаказСтрока', ['Заказ', 'Строка']],
  ['हिन्दी', ['हिन्दी']],
  ['ＡＢＣ１', ['ABC1']],
  ['🚀', ['u1F680']],
  ['❤️‍🔥', ['u2764', 'u1F525']],
  ['🚀 plan', ['plan']],
  ['—', []],
])('the words of %s', (name, words) => {
  expect(wordsOf(name)).toEqual(words);
});

test('case parts no words where it says nothing', () => {
  expect(wordsOf('HTTPServer_NO', false)).toEqual(['HTTPServer', 'NO']);
});
