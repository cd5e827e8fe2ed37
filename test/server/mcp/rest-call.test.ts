import { expect, test } from 'vitest';
import { findDataclass } from '../../../src/model/lookup.ts';
import type { JsonValue } from '../../../src/protocol/body/json.ts';
import { entityPath } from '../../../src/server/mcp/rest-call.ts';
import { readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';

const model = await sampleModel(readSnapshot('postgres'));

function path(name: string, key: JsonValue): string {
  return entityPath(findDataclass(model, name), key);
}

test('a key is one key, by its text, its value or its parts', () => {
  expect(path('Employee', '7')).toBe('/rest/Employee(7)');
  expect(path('Employee', { ID: '7' })).toBe('/rest/Employee(7)');
  expect(path('Country', { code: 'FR' })).toBe('/rest/Country(FR)');
  expect(path('Category', 'a,b')).toBe('/rest/Category(%22a%2Cb%22)');
  expect(path('OrderLine', '{"orderNo":7,"line":2}')).toBe(
    '/rest/OrderLine(%7B%22orderNo%22%3A7%2C%22line%22%3A2%7D)',
  );
  expect(path('OrderLine', '7;2')).toBe('/rest/OrderLine(7%3B2)');
});

test.each([
  ['Employee', '1,2', '1,2 is not one key of Employee.'],
  ['OrderLine', '7;1,7;2', '7;1,7;2 is not one key of OrderLine.'],
  ['Category', '\ud800', 'A text holds half a surrogate pair.'],
])('of %s, %j is none', (name, key, message) => {
  expect(() => path(name, key)).toThrow(message);
});
