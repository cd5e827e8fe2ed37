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
