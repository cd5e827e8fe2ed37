import { expect, test } from 'vitest';
import {
  callableFunctions,
  callUrl,
  callValues,
  freeValues,
} from '../../../src/explorer/functions/function-calls.ts';
import { readCatalog } from '../../../src/explorer/rest/catalog.ts';
import { exactNumber } from '../../../src/explorer/rest/json.ts';

const method = (name: string, applyTo: string) => ({ name, applyTo, allowedOnHTTPGET: false });
const catalog = readCatalog({
  methods: [method('closeMonth', 'dataStore')],
  dataClasses: [
    {
      name: 'Employee',
      attributes: [],
      key: [],
      methods: [method('raise', 'entity'), method('transfer', 'entityCollection')],
    },
  ],
  singletons: [{ name: 'Prices', methods: [{ name: 'quote', allowedOnHTTPGET: true }] }],
});

test('each function has the URL at which it is called', () => {
  const functions = callableFunctions(catalog);
  const urls = (key: string, filter: string) =>
    functions.map((called) => callUrl(called, { key, filter, isComposite: false }));
  expect(functions.map(({ fullName }) => fullName)).toEqual([
    'closeMonth',
    'Employee.raise',
    'Employee.transfer',
    'Prices.quote',
  ]);
  expect(urls('5', '')).toEqual([
    '/rest/$catalog/closeMonth',
    '/rest/Employee(5)/raise',
    '/rest/Employee(5)/transfer',
    '/rest/$singleton/Prices/quote',
  ]);
  expect(urls('', 'grade = 3')[2]).toBe('/rest/Employee/transfer?$filter="grade%20=%203"');
});

test('texts become values of the types of the parameters', () => {
  const parameters = [
    { type: 'number', optional: false },
    { type: 'string', optional: false },
    { type: 'object', optional: false },
    { type: 'date', optional: true },
  ];
  expect(callValues(['9007199254740993', '', '[1]', ''], parameters)).toEqual({
    ok: true,
    values: [exactNumber('9007199254740993'), '', [1]],
  });
  expect(callValues([null, null, null, '2024-01-01'], parameters)).toEqual({
    ok: true,
    values: [null, null, null, '2024-01-01'],
  });
  expect(callValues(['x'], parameters)).toEqual({
    ok: false,
    index: 0,
    message: '“x” is not a number.',
  });
});

test('without types, lines are JSON or text', () => {
  expect(freeValues('3.50\n well done \n\nnull\n{"a":1}\n"5"')).toEqual([
    exactNumber('3.50'),
    'well done',
    null,
    { a: 1 },
    '5',
  ]);
});
