import { expect, test } from 'vitest';
import { TimeSlice } from '../../../src/base/time.ts';
import { attributeNames, parseBody } from '../../../src/protocol/body/body.ts';
import { Digits } from '../../../src/protocol/body/json.ts';
import { rejection } from '../complaint.ts';

function parse(text: string, contentType?: string): ReturnType<typeof parseBody> {
  return parseBody(
    { contentType, bytes: Buffer.from(text) },
    { slice: new TimeSlice(), maxEntities: 10_000 },
  );
}

const FORM = 'application/x-www-form-urlencoded';

test.each<[text: string, contentType: string | undefined, a: unknown]>([
  ...['Application/JSON;charset="UTF-8"', 'application/vnd.api+json', 'text/json', FORM].map(
    (type): [string, string, boolean] => ['{"a":true}', type, true],
  ),
  // Five characters of a form are escaped, and no others.
  ['{"a":"%21%27%28%29%2a %41%25"}', `${FORM}; charset=UTF-8`, "!'()* %41%25"],
  ['\uFEFF{"a":null}', undefined, null],
  ['{"a":12345678901234567890.10}', undefined, new Digits('12345678901234567890.10')],
  // Inside an attribute the last of two members counts.
  ['{"a":{"b":1,"c":0,"b":2}}', undefined, { b: 2, c: 0 }],
  ['{"a":[{"b":1,"b":{"c":1,"c":2},"b":{"c":3,"c":4}}]}', undefined, [{ b: { c: 4 } }]],
  ['{"a":{"__proto__":1,"__proto__":2}}', undefined, JSON.parse('{"__proto__":2}')],
  ['{"__ENTITIES":[{"a":{"b":1,"b":null}}],"__SENT":1}', undefined, { b: null }],
])('%s of type %s is read', async (text, contentType, a) => {
  expect((await parse(text, contentType))?.entities[0]?.members).toEqual({ a });
});

test.each(['', ' \n'])('a body %j is none', async (text) => {
  expect(await parse(text)).toBeNull();
});

test('members that are called like JavaScript’s own, and like the protocol’s', async () => {
  const body = await parse(
    '[{"__proto__":{"x":1},"constructor":2,"hasOwnProperty":3},{"__STATUS":{},"uri":"/rest/A(5)","__KEY":5}]',
  );
  expect(body?.entities.map(attributeNames)).toEqual([['constructor', 'hasOwnProperty'], ['uri']]);
  expect(({} as { x?: unknown }).x).toBeUndefined();
});

test('a body of type "" is refused', async () => {
  expect(await rejection(() => parse('{}', ''))).toEqual([
    'badMediaType',
    'The body’s content type is ""; expected JSON in UTF-8: application/json.',
  ]);
});

test('a body holds as many entities as are allowed', async () => {
  const list = (count: number): string => `[${Array(count).fill('{}').join(',')}]`;
  expect((await parse(list(10_000)))?.entities).toHaveLength(10_000);
  for (const text of [list(10_001), `{"__ENTITIES":${list(10_001)}}`]) {
    expect(await rejection(() => parse(text))).toEqual([
      'badBody',
      'The body holds more than 10000 objects; at most as many are allowed.',
    ]);
  }
  const [entity] = (await parse(`{"a":${list(10_001)}}`))?.entities ?? [];
  expect(entity?.members['a']).toHaveLength(10_001);
});
