import { describe, expect, test } from 'vitest';
import { Namer } from '../../src/cli/init/namer.ts';
import { rulesSchema } from '../../src/cli/init/rules.ts';
import {
  attributeName,
  dataclassName,
  joinWords,
  UsedNames,
  type Candidates,
} from '../../src/model/naming.ts';

describe('derived names', () => {
  const namer = new Namer(rulesSchema.parse({ singular: false, splitWords: false }));

  test.each([
    ['TBL_ORD_HDR', 'TblOrdHdr', 'tblOrdHdr'],
    ['Order Details', 'OrderDetails', 'orderDetails'],
    ['customerID', 'CustomerId', 'customerId'],
    ['HTTPServer', 'HttpServer', 'httpServer'],
    ['odd]name', 'OddName', 'oddName'],
    ['Größe', 'Grosse', 'grosse'],
    ['Æther', 'Aether', 'aether'],
    ['ORDER', 'Order', 'order'],
    ['URI', 'Uri', 'columnUri'],
    ['select', 'Select', 'select'],
    ['constructor', 'Constructor', 'constructor'],
    ['__proto__', 'Proto', 'proto'],
    ['2019', 'Table2019', 'column2019'],
    ['2019 SALES', 'Table2019Sales', 'column2019Sales'],
    ['名前', '名前', '名前'],
    ['ΠΕΛΑΤΗΣ_NO', 'ΠελατηςNo', 'πελατηςNo'],
    ['𐐨𐐩', '𐐀𐐩', '𐐨𐐩'],
    ['🚀', 'U1f680', 'u1f680'],
    ['—', 'Table', 'column'],
  ])('%s becomes %s or %s, as init would write it', (physical, ofTable, ofColumn) => {
    expect([dataclassName(physical), attributeName(physical)]).toEqual([ofTable, ofColumn]);
    expect([namer.dataclass(physical), namer.attribute(physical)]).toEqual([ofTable, ofColumn]);
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

describe('a name that is claimed', () => {
  test('is the first candidate that is free in any case, else a numbered one', () => {
    const claim = (used: readonly string[], ...candidates: Candidates): string =>
      new UsedNames(used).claim(...candidates);
    expect(claim([], 'name', 'otherName')).toBe('name');
    expect(claim(['NAME'], 'Name', 'otherName')).toBe('otherName');
    expect(claim(['name', 'name2'], 'name')).toBe('name3');
  });

  test('is taken from then on', () => {
    const names = new UsedNames();
    names.add('Order');
    expect([names.claim('order'), names.claim('order'), names.claim('line')]).toEqual([
      'order2',
      'order3',
      'line',
    ]);
  });
});
