import { describe, expect, test } from 'vitest';
import { nameHint, nearestNames } from '../../src/base/names.ts';
import { wordsOf } from '../../src/base/words.ts';

describe('nearestNames', () => {
  test.each([
    ['lastNam', ['lastName']],
    ['LASTNAME', ['lastName']],
    ['name', ['lastName', 'firstName']],
    ['zzz', []],
  ])('%s resembles %j', (unknown, expected) => {
    expect(nearestNames(unknown, ['firstName', 'lastName', 'salary'])).toEqual(expected);
  });
});

test.each([
  ['foo', ['ID', 'two']],
  ['xx', ['ID']],
  ['x', ['y']],
  ['identity', ['ID']],
  ['abc', ['xyc']],
  ['$foo', ['$top', '$skip', '$filter']],
  ['eval', ['email']],
  ['host', ['HostNameInCertificate', 'Host Name In Certificate']],
])('%s is not near to any of %j', (unknown, known) => {
  expect(nearestNames(unknown, known)).toEqual([]);
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

describe('nameHint', () => {
  test('names the nearest', () => {
    expect(nameHint('salery', ['firstName', 'salary'])).toBe(' Did you mean salary?');
  });

  test('lists the few that are known where nothing resembles', () => {
    expect(nameHint('zzz', ['firstName', 'salary'])).toBe(' Known: firstName, salary.');
  });

  test('says nothing where many are known and none resembles', () => {
    const many = Array.from({ length: 13 }, (_, index) => `column${index}`);
    expect(nameHint('zzz', many)).toBe('');
  });
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
