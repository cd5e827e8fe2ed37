import { expect, test } from 'vitest';
import {
  callableFunctions,
  callUrl,
  callValues,
} from '../../../src/explorer/functions/function-calls.ts';
import { type FunctionParameter, readCatalog } from '../../../src/explorer/rest/catalog.ts';
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

const parameter = (type: string, more: Partial<FunctionParameter> = {}): FunctionParameter => ({
  name: type,
  type,
  maxLength: null,
  hasTime: false,
  optional: false,
  ...more,
});

test.each([
  [
    ['9007199254740993', '', '[1]', '', null],
    [exactNumber('9007199254740993'), '', [1]],
  ],
  [
    [null, null, null, '2024-01-01', null],
    [null, null, null, '2024-01-01'],
  ],
  [
    ['1', 'a', null, null, ''],
    [1, 'a', null, null, ''],
  ],
])('the texts %j become values of the types of the parameters', (texts, values) => {
  const optional = { optional: true };
  const needed = ['number', 'string', 'object'].map((type) => parameter(type));
  const parameters = [...needed, parameter('date', optional), parameter('string', optional)];
  expect(callValues(texts, parameters)).toEqual({ ok: true, values });
});
