import { expect, test } from 'vitest';
import { parseCases } from './parse.ts';

test.each([
  ['GET Head', 'a.cases:1: expected lines "tables NAME: title" and'],
  ['tests ofManyClients', 'a.cases:1: expected lines "tables NAME: title" and'],
  ['tables nested', 'a.cases:1: expected a name and a colon'],
  ['tables nested: a\n== b\nfetch Head', 'a.cases:3: expected a request or SQL, not fetch'],
  ['tables nested: a\n== b\nGET Head → ok', 'a.cases:3: expected a status behind the arrow'],
  ['tables nested: a\n== b\nGET Head → 200 {a}', 'a.cases:3: expected a name at a}'],
  ['tables nested: a\n== b\nGET Head → 200 {"a":1', 'a.cases:3: expected a comma at the end'],
  ['tables nested: a\n== b\nGET Head -> 200', 'a.cases:3: expected blanks around the arrow →'],
  ['tables nested: a\n== b\nGET Head→ 200', 'a.cases:3: expected blanks around the arrow →'],
  ['tables nested: a\n== b\nPOST Head {}→ 200', 'a.cases:3: expected blanks around the arrow →'],
  ['tables nested: a\n== b\nGET Head\n→ 200', 'a.cases:4: an answer is indented below its request'],
  [
    'tables nested: a\n== b\nGET Head?a &b=1',
    'a.cases:3: a blank outside quotes ends a URL, and no GET',
  ],
  [
    'tables nested: a\n== b\nGET Head?a="b c',
    'a.cases:3: a blank outside quotes ends a URL, and no GET',
  ],
  [
    'tables nested: a\n== b\nPOST Head [If-Match "0"] {}',
    'a.cases:3: expected a name, a colon and a bl',
  ],
  ['tables nested: a\n== b\nGET(Bablefish) Head', 'a.cases:3: there is no engine Bablefish'],
  [
    'tables nested: a\n== b\nGET(mssql) Head → 200',
    'a.cases:3: there is no engine mssql, only pglite',
  ],
  ['tables nested: a\n== b\nGET Head → (mssql) 200', 'a.cases:3: there is no engine mssql'],
  ['tables nested: a\n== b\nskip mssql: slow', 'a.cases:3: there is no engine mssql'],
  ['tables nested: a\n== b\nfor x, y: [["1"]]', 'a.cases:3: expected texts for x, y: 1'],
  ['tables nested: a\n== b\n', 'a.cases: the case "b" asks nothing'],
])('%j is told as what it is', (text, message) => {
  expect(() => parseCases(text, 'a.cases')).toThrow(message);
});

test('tables that a folder does not run are refused', () => {
  expect(() => parseCases('tables s.read: a', 'a.cases', ['s.reads', 's.writes'])).toThrow(
    'a.cases:1: conformance runs s.reads and s.writes, not s.read',
  );
});
