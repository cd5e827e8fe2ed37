import { expect, test } from 'vitest';
import { wordsOf } from '../../src/base/words.ts';

test.each([
  ['TBL_ORD_HDR', ['TBL', 'ORD', 'HDR']],
  ['Order Details', ['Order', 'Details']],
  ['orderLine', ['order', 'Line']],
  ['HTTPServer', ['HTTP', 'Server']],
  ['DISC]PCT', ['DISC', 'PCT']],
  ['Straße', ['Strasse']],
  ['Ærø', ['AEro']],
  ['Ménü', ['Menu']],
  ['名前', []],
])('the words of %s', (name, words) => {
  expect(wordsOf(name)).toEqual(words);
});

test('case parts no words where it says nothing', () => {
  expect(wordsOf('HTTPServer_NO', false)).toEqual(['HTTPServer', 'NO']);
});
