import { expect, test } from 'vitest';
import {
  labelAttributes,
  labelOf,
  suggestionsUrl,
} from '../../../src/explorer/entity/related-search.ts';

const storage = (name: string, type: string) => ({ name, kind: 'storage', type });
const attributes = [
  storage('ID', 'long'),
  storage('phone', 'string'),
  storage('lastName', 'string'),
  storage('name', 'string'),
  { name: 'employer', kind: 'relatedEntity', type: 'Company' },
];

test('an entity is known by the attributes that people know it by', () => {
  expect(labelAttributes(attributes)).toEqual(['name', 'lastName']);
  expect(labelAttributes(attributes, 1)).toEqual(['name']);
  expect(labelAttributes([storage('phone', 'string'), storage('fax', 'string')])).toEqual([
    'phone',
  ]);
  expect(labelAttributes([storage('phone', 'string')], 2, 0)).toEqual([]);
  expect(labelOf({ name: 'Ada', lastName: null, phone: '' }, ['name', 'lastName', 'phone'])).toBe(
    'Ada',
  );
  expect(labelOf({ fullName: 'Ada Byron', lastName: 'Byron' }, ['fullName', 'lastName'])).toBe(
    'Ada Byron',
  );
  expect(labelOf(null, ['name'])).toBe('');
});

test('suggestions are those that contain the text or have it as their key', () => {
  const key = [storage('ID', 'long')];
  expect(suggestionsUrl('Company', ['name'], key, 'A&"b')).toBe(
    `/rest/Company?$filter="name%20%25%20:1"&$params='["A%26%5C"b"]'&$orderby=name&$attributes=name,ID&$top=12`,
  );
  expect(suggestionsUrl('Company', ['name'], key, '7')).toContain(
    '$filter="name%20%25%20:1%20OR%20ID%20===%20:1"',
  );
  expect(suggestionsUrl('Company', ['name'], key, '')).toBe(
    '/rest/Company?$orderby=name&$attributes=name,ID&$top=12',
  );
});
