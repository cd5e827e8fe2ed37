import { expect, test } from 'vitest';
import { TimeSlice } from '../../../src/base/time.ts';
import { attributeNames, parseBody } from '../../../src/protocol/body/body.ts';

const parse = (text: string): ReturnType<typeof parseBody> =>
  parseBody(
    { contentType: undefined, bytes: Buffer.from(text) },
    { slice: new TimeSlice(), maxEntities: 10 },
  );

test('members that are called like JavaScript’s own, and like the protocol’s', async () => {
  const body = await parse(
    '[{"__proto__":{"x":1},"constructor":2,"hasOwnProperty":3},{"__STATUS":{},"uri":"/rest/A(5)","__KEY":5},{"a":{"__proto__":1,"__proto__":2}}]',
  );
  expect(body?.entities.map(attributeNames)).toEqual([
    ['constructor', 'hasOwnProperty'],
    ['uri'],
    ['a'],
  ]);
  expect(body?.entities[2]?.members).toEqual({ a: JSON.parse('{"__proto__":2}') as unknown });
  expect(({} as { x?: unknown }).x).toBeUndefined();
});
