import { describe, expect, test } from 'vitest';
import { freeName, joinWords, wordsOf } from '../../src/init/words.ts';

describe('wordsOf', () => {
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
  ])('%s', (name, words) => {
    expect(wordsOf(name)).toEqual(words);
  });
});

describe('joinWords', () => {
  test.each([
    ['camel', 'orderLine', 'OrderLine'],
    ['pascal', 'OrderLine', 'OrderLine'],
    ['snake', 'order_line', 'order_line'],
    ['keep', 'ORDER_line', 'ORDER_line'],
  ] as const)('%s', (style, member, dataclass) => {
    expect(joinWords(['ORDER', 'line'], style, 'member')).toBe(member);
    expect(joinWords(['ORDER', 'line'], style, 'dataclass')).toBe(dataclass);
  });

  test('a name begins with a letter, whatever is left of it', () => {
    expect(joinWords(['1st'], 'camel', 'member')).toBe('column1st');
    expect(joinWords([], 'camel', 'dataclass')).toBe('Table');
    expect(joinWords([], 'keep', 'member')).toBe('column');
  });
});

test('a free name is the first candidate that is not taken in any case, else a numbered one', () => {
  expect(freeName(['name', 'otherName'], new Set())).toBe('name');
  expect(freeName(['Name', 'otherName'], new Set(['name']))).toBe('otherName');
  expect(freeName(['name'], new Set(['name', 'name2']))).toBe('name3');
});
