import { expect, test } from 'vitest';
import { fileSize } from '../../../src/explorer/entity/file-size.ts';
import { lockState } from '../../../src/explorer/entity/lock-state.ts';
import {
  choiceText,
  labelAttributes,
  labelOf,
  showsKey,
  suggestionsUrl,
} from '../../../src/explorer/entity/related-search.ts';
import { parsed, rows } from '../../rows.ts';

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [31, '31 bytes'],
  [1500, '1.5 kB'],
  [2_000_000, '2 MB'],
])('%i bytes are %s', (bytes, text) => {
  expect(fileSize(bytes)).toBe(text);
});

const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';

// The status of a lock, what the lock was before, and what it is now.
test.each(rows`
  {success: true, own: false, lost: false} | free | {kind: free}
  {success: true, own: true, lost: false}  | free | {kind: own}
  {success: true, own: false, lost: true}  | free | {kind: lost}
  {success: true}                          | own  | {kind: own}
  {success: true}                          | free | {kind: free}
  {success: false, status: 2}              | free | {kind: changed}
  {success: false, status: 5}              | free | {kind: gone}
  {success: false, status: 3, lockInfo: {host: h, IPAddr: 10.0.0.7, userAgent: '${chrome}'}}
    | own | {kind: others, by: Chrome 141 at 10.0.0.7}
  {success: false, status: 3, lockInfo: {host: h, IPAddr: 10.0.0.7, userAgent: curl/8.5.0}}
    | own | {kind: others, by: curl/8.5.0 at 10.0.0.7}
  {success: false, status: 3, lockInfo: {host: '', IPAddr: '', userAgent: ''}}
    | own | {kind: others, by: another program or gateway}
`)('%s', (status, before, state) => {
  const __STATUS = parsed<{ success: boolean }>(status);
  const answer = { result: __STATUS.success, __STATUS };
  expect(lockState(answer, before as 'free' | 'own')).toEqual(parsed(state));
});

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

test.each([
  ['Munich', '5', 'Munich (5)', false],
  ['Munich', 'Munich', 'Munich', true],
  ['France · FR', 'FR', 'France · FR', true],
  ['Friday', 'F', 'Friday (F)', false],
  ['', '5', '5', false],
  ['Nothing', '', 'Nothing ("")', false],
  ['', '', '""', true],
])('%j with the key %j is chosen by %j', (label, key, text, shows) => {
  expect([choiceText(label, key), showsKey(label, key)]).toEqual([text, shows]);
});
