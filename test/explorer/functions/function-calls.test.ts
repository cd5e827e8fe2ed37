import { expect, test } from 'vitest';
import {
  callableFunctions,
  callUrl,
  callValues,
  parameterKind,
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

test('parameters are read from the catalog', () => {
  const { functions } = readCatalog({
    methods: [
      {
        name: 'move',
        extraProperties: {
          description: 'Moves.',
          parameters: [
            { name: 'to', type: 'string', maxLength: 20 },
            { name: 'at', type: 'date', dateTime: true, optional: true },
          ],
        },
      },
    ],
  });
  expect(functions[0]?.parameters).toEqual([
    parameter('string', { name: 'to', maxLength: 20 }),
    parameter('date', { name: 'at', hasTime: true, optional: true }),
  ]);
  expect(functions[0]?.parameters.map(parameterKind)).toEqual(['text', 'dateTime']);
  expect(parameterKind(parameter('blob'))).toBe('text');
});

test('texts become values of the types of the parameters', () => {
  const parameters = [
    parameter('number'),
    parameter('string'),
    parameter('object'),
    parameter('date', { optional: true }),
    parameter('string', { optional: true }),
  ];
  expect(callValues(['9007199254740993', '', '[1]', '', null], parameters)).toEqual({
    ok: true,
    values: [exactNumber('9007199254740993'), '', [1]],
  });
  expect(callValues([null, null, null, '2024-01-01', null], parameters)).toEqual({
    ok: true,
    values: [null, null, null, '2024-01-01'],
  });
  expect(callValues(['1', 'a', null, null, ''], parameters)).toEqual({
    ok: true,
    values: [1, 'a', null, null, ''],
  });
  expect(callValues(['x'], parameters)).toEqual({
    ok: false,
    index: 0,
    message: '“x” is not a number.',
  });
});
