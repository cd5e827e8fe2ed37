import { describe, expect, test } from 'vitest';
import { TimeSlice } from '../../../src/base/time.ts';
import { attributeNames, parseBody } from '../../../src/protocol/body/body.ts';
import { Digits } from '../../../src/protocol/body/json.ts';
import { rejection } from '../complaint.ts';
import { rows } from '../../rows.ts';

function parse(text: string, contentType?: string): ReturnType<typeof parseBody> {
  return parseBody(
    { contentType, bytes: Buffer.from(text) },
    { slice: new TimeSlice(), maxEntities: 10_000 },
  );
}

describe('the body of a request that writes', () => {
  test('keeps the digits of its numbers, and takes the protocol’s fields apart from the attributes', async () => {
    const body = await parse(
      '{"__KEY":"5","__STAMP":3,"__DATACLASS":"Employee","__TIMESTAMP":"x","__entityModel":"Employee",' +
        '"__STATUS":{"success":true},"uri":"/rest/Employee(5)","grade":12345678901234567890.10}',
    );
    expect(body).toEqual({
      form: 'one',
      entities: [
        {
          key: '5',
          stamp: 3,
          dataclass: 'Employee',
          members: {
            __KEY: '5',
            __STAMP: 3,
            __DATACLASS: 'Employee',
            __TIMESTAMP: 'x',
            __entityModel: 'Employee',
            __STATUS: { success: true },
            uri: '/rest/Employee(5)',
            grade: new Digits('12345678901234567890.10'),
          },
        },
      ],
    });
    expect(body?.entities.map(attributeNames)).toEqual([['uri', 'grade']]);
  });

  test.each([
    ['an array', '[{"a":1},{"a":2}]'],
    ['__ENTITIES', '{"__ENTITIES":[{"a":1},{"a":2}]}'],
  ])('of several entities is %s', async (_, text) => {
    const body = await parse(text);
    expect(body?.form).toBe('many');
    expect(body?.entities.map(({ members }) => members)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test.each([
    ['nothing', ''],
    ['blanks', ' \n'],
  ])('that holds %s is none', async (_, text) => {
    expect(await parse(text)).toBeNull();
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/vnd.api+json',
    'text/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    undefined,
  ])('is read as JSON where it says %s', async (contentType) => {
    expect((await parse('{"a":true}', contentType))?.entities[0]?.members).toEqual({ a: true });
  });

  test('of a form has five characters escaped, and no others', async () => {
    const body = await parse(
      '{"a":"%21%27%28%29%2a %41%25"}',
      'application/x-www-form-urlencoded; charset=UTF-8',
    );
    expect(body?.entities[0]?.members).toEqual({ a: "!'()* %41%25" });
  });

  test('may begin with a byte order mark', async () => {
    expect((await parse('\uFEFF{"a":null}'))?.entities[0]?.members).toEqual({ a: null });
  });

  test('may have members that are called like JavaScript’s own', async () => {
    const body = await parse('{"__proto__":{"x":1},"constructor":2,"hasOwnProperty":3}');
    expect(body?.entities.map(attributeNames)).toEqual([['constructor', 'hasOwnProperty']]);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test.each([
    ['image/png', '{}', 'image/png'],
    ['application/json; charset=latin1', '{}', 'application/json; charset=latin1'],
    ['', '{}', ''],
  ])('of type %j is refused', async (contentType, text, shown) => {
    expect(await rejection(() => parse(text, contentType))).toEqual([
      'badMediaType',
      `The body’s content type is "${shown}"; expected JSON in UTF-8: application/json.`,
    ]);
  });

  test.each(rows`
    {"a":1,}         | The body is not valid JSON: quoted object key expected but got '}' (at position 8 of the body)
    {"a":1} x        | The body is not valid JSON: expected end of input but got 'x' (at position 9 of the body)
    {"a":1,"a":2}    | The body is not valid JSON: duplicate key 'a' encountered (at position 9 of the body)
    "text"           | The body is of type string; expected an object with the attributes of an entity, or an array of such objects.
    null             | The body is of type null; expected an object with the attributes of an entity, or an array of such objects.
    [{},[]]          | Element 1 of the body is of type array; expected an object with the attributes of an entity.
    {"__ENTITIES":5} | __ENTITIES is of type number; expected an object with the attributes of an entity, or an array of such objects.
  `)('%s is refused', async (text, message) => {
    expect(await rejection(() => parse(text))).toEqual(['badBody', message]);
  });

  test.each([
    ['{"a":{"b":1,"c":0,"b":2}}', { b: 2, c: 0 }],
    ['{"a":[{"b":1,"b":{"c":1,"c":2},"b":{"c":3,"c":4}}]}', [{ b: { c: 4 } }]],
    ['{"a":{"__proto__":1,"__proto__":2}}', JSON.parse('{"__proto__":2}')],
    ['{"__ENTITIES":[{"a":{"b":1,"b":null}}],"__SENT":1}', { b: null }],
  ])('%s: inside an attribute the last of two members counts', async (text, value) => {
    expect((await parse(text))?.entities[0]?.members).toMatchObject({ a: value });
  });

  test.each([
    ['[{},{"a":1,"b":0,"a":{"c":1,"c":2}}]', "'a' encountered", 19],
    ['{"__KEY":1,"__KEY":2}', "'__KEY' encountered", 13],
    ['{"__ENTITIES":[],"__ENTITIES":[{}]}', "'__ENTITIES' encountered", 19],
  ])('%s: an entity names no member twice', async (text, said, position) => {
    const message = `The body is not valid JSON: duplicate key ${said} (at position ${position} of the body)`;
    expect(await rejection(() => parse(text))).toEqual(['badBody', message]);
  });

  test.each([
    ['{"__KEY":2,"__STAMP":1,"nm":"x","__ENTITIES":[]}', '__KEY'],
    ['{"__STAMP":1,"__ENTITIES":[{}]}', '__STAMP'],
    ['{"__ENTITIES":[{}],"nm":"x"}', 'nm'],
  ])('%s is an entity and a collection', async (text, name) => {
    const message = `The body is an entity, as its ${name} says, and has __ENTITIES besides: expected one entity, or a collection with its header.`;
    expect(await rejection(() => parse(text))).toEqual(['badBody', message]);
  });

  test('is refused where it is nested deeper than can be read', async () => {
    expect(await rejection(() => parse('['.repeat(1_000_000)))).toEqual([
      'badBody',
      'The body is not valid JSON: it is nested too deeply (at position 1 of the body)',
    ]);
  });

  test('is refused where it is not in UTF-8', async () => {
    expect(
      await rejection(() =>
        parseBody(
          { contentType: undefined, bytes: Buffer.from([0x7b, 0xff]) },
          { slice: new TimeSlice(), maxEntities: 1 },
        ),
      ),
    ).toEqual(['badBody', 'The body is not in UTF-8.']);
  });

  test('holds as many entities as are allowed', async () => {
    expect((await parse(`[${Array(10_000).fill('{}').join(',')}]`))?.entities).toHaveLength(10_000);
    const list = `[${Array(10_001).fill('{}').join(',')}]`;
    for (const text of [list, `{"__ENTITIES":${list}}`]) {
      expect(await rejection(() => parse(text))).toEqual([
        'badBody',
        'The body holds more than 10000 objects; at most as many are allowed.',
      ]);
    }
    const [entity] = (await parse(`{"a":${list}}`))?.entities ?? [];
    expect(entity?.members['a']).toHaveLength(10_001);
  });
});
