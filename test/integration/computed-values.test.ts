import { expect, test } from 'vitest';
import { onEngines } from './shapes/engines.ts';
import { computedValues } from './shapes/computed.ts';

onEngines('computed values', computedValues, (served) => {
  test.each([
    // What is not a number is answered as null, and is not a value.
    [
      'weight?$compute=$all',
      { weight: { count: 2, sum: 3.75, average: 1.875, min: 1.5, max: 2.25 } },
    ],
    ['weight?$distinct=true', [1.5, 2.25]],
    [
      'amount?$compute=$all',
      { amount: { count: 3, sum: 0.123, average: 0.041, min: 0.003, max: 0.1 } },
    ],
    // Of a property the numbers are computed with, and all are counted.
    ['body.a?$compute=$all', { 'body.a': { count: 6, sum: 3, average: 1.5, min: 1, max: 2 } }],
    ['body.a?$distinct=true', [false, true, 'text', 1, 2]],
    ['body.a?$distinct=true&$orderby="body.a desc"&$top=3', [2, 1, 'text']],
    [
      'body.c.d?$compute=$all',
      { 'body.c.d': { count: 3, sum: 103.5, average: 34.5, min: 1, max: 100 } },
    ],
    ['body.b?$compute=count', 2],
    ['body.b?$compute=average', null],
    ['body?$compute=count', 7],
    // Of texts that differ in case alone, the first by code points.
    ['name?$distinct=true', ['ADA', 'Bob']],
    ['name?$compute=count', 4],
    ['text?$compute=count', 3],
    ['text?$compute=max', 'two'],
    ['text?$distinct=true', ['one', 'three', 'two']],
    ['bytes?$distinct=true&$top=2', ['0A', '0B00']],
    ['tag?$compute=$all', { tag: { count: 3 } }],
    [
      'tag?$distinct=true',
      ['c0ffee00-0000-4000-8000-000000000001', 'c0ffee00-0000-4000-8000-000000000002'],
    ],
    // Two links to the same entity are one pair.
    ['links.id?$compute=$all', { 'links.id': { count: 5, sum: 15, average: 3, min: 1, max: 5 } }],
    ['others.id?$compute=$all', { 'others.id': { count: 3, sum: 9, average: 3, min: 1, max: 4 } }],
    ['others.id?$distinct=true', [1, 4]],
  ])('%s', async (query, body) => {
    expect(await served.get(`Item/${query}`)).toEqual([200, body]);
  });

  test('the greatest of bytes', async ({ skip }) => {
    if (served.isBabelfish) {
      skip(
        'Babelfish converts bytes to text as they are, whatever the style; SQL Server to digits',
      );
    }
    expect(await served.get('Item/bytes?$compute=max')).toEqual([200, 'FF']);
  });

  test('a sum beyond all numbers is told as such', async ({ skip }) => {
    if (served.isBabelfish)
      skip('Babelfish has a number of its own for overflows; SQL Server 8115');
    expect(await served.get('Item/huge?$compute=sum')).toMatchObject([
      422,
      { __ERROR: [{ errCode: 1569 }] },
    ]);
    expect(await served.get('Item/huge?$compute=sum&$filter="id>1"')).toEqual([200, 1.7e308]);
  });
});
