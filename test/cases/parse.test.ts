import { expect, test } from 'vitest';
import { parseCases } from './parse.ts';

test('requests are read with their engines, headers, bodies and answers', () => {
  const [first, second, ...others] = parseCases(
    `# A comment.
tables nested: heads
tables nested.byRole: heads by a role
tests ofManyClients
as ann

== the first
skip Babelfish: it does not say
for a: ["x", "y"]
for b, c: [["1", "2"]]
GET Head?$filter="id = 1 AND no = 2"&$top=1 [If-Match: "1"] [X: y]
  → (sqlserver,Babelfish) 200 [ETag: "1"] {"a":1,
      "b":2}
  → 304
as ben
POST(postgres) Head [1,{"a":"b c"}] → 400 1500 "No."
SQL DELETE FROM app.head WHERE id = 1

== the second
LOG → 200 []
`,
    'a.cases',
  );
  expect(others).toEqual([]);
  expect([first, second].map((group) => [group?.module, group?.name, group?.about])).toEqual([
    ['nested', 'shape', 'heads'],
    ['nested', 'byRole', 'heads by a role'],
  ]);
  expect([first?.programs, second?.programs]).toEqual([[], ['ofManyClients']]);
  expect(second?.cases).toBe(first?.cases);
  expect(first?.cases).toMatchObject([
    {
      title: 'the first',
      skipped: new Map([['Babelfish', 'it does not say']]),
      variants: [
        { names: ['a'], rows: [['x'], ['y']] },
        { names: ['b', 'c'], rows: [['1', '2']] },
      ],
      steps: [
        {
          ...{ line: 11, lastLine: 14, verb: 'GET', user: 'ann', engines: null, body: null },
          text: 'Head?$filter="id = 1 AND no = 2"&$top=1',
          headers: { 'if-match': '"1"', x: 'y' },
          answers: [
            { engines: ['sqlserver', 'Babelfish'], status: 200, headers: { etag: '"1"' } },
            { engines: null, status: 304, headers: {}, body: undefined },
          ],
        },
        {
          ...{ line: 16, lastLine: 16, verb: 'POST', engines: ['postgres'], text: 'Head' },
          ...{ user: 'ben', body: '[1,{"a":"b c"}]' },
          answers: [{ engines: null, status: 400 }],
        },
        { verb: 'SQL', text: 'DELETE FROM app.head WHERE id = 1', answers: [] },
      ],
    },
    { steps: [{ verb: 'LOG', text: '', user: 'ann', answers: [{ status: 200 }] }] },
  ]);
});

test.each([
  ['GET Head', 'a.cases:1: expected tables and a title before'],
  ['tests ofManyClients', 'a.cases:1: expected tables and a title before'],
  ['tables nested', 'a.cases:1: expected a name and a colon'],
  ['tables nested: a\n== b\nfetch Head', 'a.cases:3: expected a request or SQL, not fetch'],
  ['tables nested: a\n== b\nGET Head → ok', 'a.cases:3: expected a status behind the arrow'],
  ['tables nested: a\n== b\nGET Head → 200 {a}', 'a.cases:3: expected a name at a}'],
  ['tables nested: a\n== b\n', 'a.cases: the case "b" asks nothing'],
])('%j is told as what it is', (text, message) => {
  expect(() => parseCases(text, 'a.cases')).toThrow(message);
});
