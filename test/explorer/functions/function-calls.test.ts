import { expect, test } from 'vitest';
import {
  callableFunctions,
  callUrl,
  callValues,
} from '../../../src/explorer/functions/function-calls.ts';
import { type FunctionParameter, readCatalog } from '../../../src/explorer/rest/catalog.ts';
import { parsed, rows } from '../../rows.ts';
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

test.each(rows`
  closeMonth        | 5     | ${''}     | /rest/$catalog/closeMonth
  Employee.raise    | 5     | ${''}     | /rest/Employee(5)/raise
  Employee.transfer | 5     | ${''}     | /rest/Employee(5)/transfer
  Employee.transfer | ${''} | grade = 3 | /rest/Employee/transfer?$filter="grade%20=%203"
  Prices.quote      | 5     | ${''}     | /rest/$singleton/Prices/quote
`)('%s is called with the key %j and the filter %j at %s', (name, key, filter, url) => {
  const functions = callableFunctions(catalog);
  const called = functions.find(({ fullName }) => fullName === name) ?? expect.fail(name);
  expect(callUrl(called, { key, filter, isComposite: false })).toBe(url);
  expect(functions).toHaveLength(4);
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
  [[null, null, null, '2024-01-01', null], parsed('[null, null, null, 2024-01-01]')],
  [['1', 'a', null, null, ''], parsed("[1, a, null, null, '']")],
])('the texts %j become values of the types of the parameters', (texts, values) => {
  const optional = { optional: true };
  const needed = ['number', 'string', 'object'].map((type) => parameter(type));
  const parameters = [...needed, parameter('date', optional), parameter('string', optional)];
  expect(callValues(texts, parameters)).toEqual({ ok: true, values });
});
