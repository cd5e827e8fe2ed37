import { describe, expect, test } from 'vitest';
import { exact } from '../targets/gateway.ts';
import { Entities } from './entities.ts';
import { filled, type Names, parseExpected, recorded, withNames, written } from './expected.ts';

const error = { message: 'No "x".', componentSignature: 'dbmg', errCode: 1517 };
const entity = { __entityModel: 'Part', __DATACLASS: 'Part', __KEY: '1 2', __STAMP: 3, no: null };
const uri = '/rest/Part(1%202)';
const page = {
  ...{ __DATACLASS: 'Part', __entityModel: 'Part', __GlobalStamp: 1, __COUNT: 7, __FIRST: 0 },
  ...{ __ENTITIES: [{ __KEY: '1' }], __SENT: 1 },
};

const changed = {
  ...{ __DATACLASS: 'Part', __entityModel: 'Part', __ENTITIES: [{ __KEY: '1' }] },
  ...{ __SENT: 1, __MORE: true, __TOKEN: 'x' },
};

describe('the text of an answer', () => {
  test.each<[text: string, body: unknown]>([
    ['[1,-2.5,"a\\"b",true,null,{}]', [1, -2.5, 'a"b', true, null, {}]],
    ['{"a":12345678901234567890}', { a: exact('12345678901234567890') }],
    ['Part(1 2)@3 {"no":null}', entity],
    ['saved Part(1 2)@3 {"no":null}', { ...entity, uri, __STATUS: { success: true } }],
    [
      'created Part(1 2)@3 {"no":null}',
      { ...entity, uri, __STATUS: { success: true, created: true } },
    ],
    [
      'conflict Part(1 2)@3 {"no":null} 1517 "No \\"x\\"."',
      {
        ...{ ...entity, uri, __ERROR: [error] },
        __STATUS: { status: 2, statusText: 'Stamp has changed', success: false },
      },
    ],
    ['1517 "No \\"x\\"." 1517 "No \\"x\\"."', { __ERROR: [error, error] }],
    [
      '[refused 1517 "No \\"x\\".",refused "a" 1517 "No \\"x\\"."]',
      [
        { __STATUS: { success: false }, __ERROR: [error] },
        { __STATUS: { success: false }, __KEY: 'a', __ERROR: [error] },
      ],
    ],
    ['list Part of 7 [{"__KEY":"1"}]', page],
    ['{"to":link Part(1)}', { to: { __deferred: { uri: '/rest/Part(1)', __KEY: '1' } } }],
    ['changes Part ["2"] [{"__KEY":"1"}] more *', { ...changed, __REMOVED: ['2'] }],
    ['changes Part [{"__KEY":"1"}] more *', changed],
  ])('%s', (text, body) => {
    expect(written(body)).toBe(text);
    expect(filled(parseExpected(text), body, new Map())).toEqual(body);
  });

  test('has no short form for what has one member more', () => {
    for (const body of [
      { ...entity, uri },
      { ...entity, __ERROR: [error] },
      { ...page, x: 1 },
      { ...changed, x: 1 },
      { __ERROR: [error], x: 1 },
      { __STATUS: { success: false }, __ERROR: [error], x: 1 },
      { __COUNT: 1, __FIRST: 0, __SENT: 1, __ENTITIES: [{ __KEY: '1' }], __GlobalStamp: 1 },
    ]) {
      expect(filled(parseExpected(written(body)), body, new Map())).toEqual(body);
    }
  });

  test('is written on several lines where it is long', () => {
    const body = { a: 'x'.repeat(60), b: ['y'.repeat(60), entity] };
    const text = written(body);
    expect(
      text
        .split('\n')
        .map((line) => line.length)
        .every((length) => length < 120),
    ).toBe(true);
    expect(filled(parseExpected(text), body, new Map())).toEqual(body);
  });

  test.each<[text: string, body: unknown, names: readonly string[]]>([
    ['[${a},"${a}-${b}"]', [7, '7-x'], ['7', 'x']],
    ['{"a":${a},...}', { a: 'x', b: 1 }, ['x']],
    ['{"a":*}', { a: { b: 1 } }, []],
    ['Part(${a})@${b}', { ...entity, no: undefined }, ['1 2', '3']],
    ['Part(1 2)@3 {...}', entity, []],
  ])('leaves places open: %s', (text, body, kept) => {
    const names: Names = new Map();
    expect(filled(parseExpected(text), body, names)).toEqual(body);
    expect([...names.values()]).toEqual(kept);
  });

  test.each<[text: string, body: unknown]>([
    ['[${a},${a}]', [1, 2]],
    ['[${a},"x${a}"]', [1, 'x2']],
    ['{"a":${a}}', { a: null }],
    ['{"a":*}', {}],
    ['{"a":1}', { a: 1, b: 2 }],
    ['{"a":1,...}', { b: 2 }],
    ['[1,...]', [1]],
    ['saved Part(1 2)@4 {"no":null}', { ...entity, uri, __STATUS: { success: true } }],
    ['list Part of 6 [{"__KEY":"1"}]', page],
  ])('%s is not any answer', (text, body) => {
    expect(() => {
      expect(body).toEqual(filled(parseExpected(text), body, new Map()));
    }).toThrow();
  });

  test('keys that were made have names, each of its dataclass', () => {
    const saved = (dataclass: string, key: string, fields = {}): object => ({
      ...{ __STATUS: { success: true }, __entityModel: dataclass, __DATACLASS: dataclass },
      ...{ __KEY: key, uri: `/rest/${dataclass}(${key})`, ...fields },
    });
    const names: Names = new Map();
    expect(recorded([saved('Part', '7'), saved('Head', '7')], names, '')).toBe(
      '[saved Part(${part1}),saved Head(${head1})]',
    );
    expect([...names]).toEqual([
      ['part1', '7'],
      ['head1', '7'],
    ]);
    const uuid = '01234567-89ab-cdef-0123-456789abcdef';
    expect(recorded([saved('Part', uuid), saved('Head', uuid)], new Map(), '')).toBe(
      '[saved Part(${part1}),saved Head(${part1})]',
    );
  });

  test('what is another one in each run is open', () => {
    const uuid = '01234567-89ab-cdef-0123-456789abcdef';
    const body = { at: new Date().toISOString(), on: '2001-01-01', request: uuid, __KEY: '6' };
    const open = (request: string, names: Names): string => recorded(body, names, request);
    expect(open('', new Map())).toBe('{"at":now,"on":"2001-01-01","request":*,"__KEY":"6"}');
    expect(open(uuid, new Map([['a', '6']]))).toContain(`"request":"${uuid}","__KEY":"\${a}"`);
    expect(open('', new Map([['a', uuid]]))).toContain('"request":${a}');
    const part = { __entityModel: 'Part', __DATACLASS: 'Part', __KEY: '6', __STAMP: 1 };
    expect(recorded(part, new Map([['key', '6']]), 'Part(6) Part(${key})')).toBe('Part(${key})@1');
    const members = { id: 6, name: 'a', size: 65 };
    const given = new Map(Object.entries({ key: '6', text: 'a' }));
    expect(recorded(members, given, '{"id":${key},"name":"${text}","size":${key}}')).toBe(
      '{"id":${key},"name":"${text}","size":65}',
    );
    const other = { ...part, __KEY: uuid };
    expect(recorded(other, new Map(), 'Part')).toBe('Part(${part1})@1');
    expect(recorded(other, new Map(), 'Part', undefined, undefined, uuid)).toBe(`Part(${uuid})@1`);
  });

  test('an entity is as it was before, but for what is sent and said of it', () => {
    const entities = new Entities(() => ({ __TIMESTAMP: 'then', no: 0, name: null }));
    const part = (stamp: number | undefined, fields: object): object => ({
      ...{ __entityModel: 'Part', __DATACLASS: 'Part', __KEY: '1' },
      ...(stamp === undefined ? {} : { __STAMP: stamp }),
      ...fields,
    });
    const steps: readonly (readonly [text: string, sent: unknown, body: object])[] = [
      ['Part(1) +{}', { no: 5 }, part(undefined, { no: 5, name: null })],
      ['Part(1)@1 +{}', { no: 1 }, part(1, { __TIMESTAMP: 'then', no: 1, name: null })],
      [
        '[Part(1)@2 +{"no":7}]',
        [{ name: 'x' }],
        part(2, { __TIMESTAMP: 'then', no: 7, name: 'x' }),
      ],
      ['Part(1)@2 +{}', undefined, part(2, { __TIMESTAMP: 'then', no: 7, name: 'x' })],
    ];
    for (const [text, sent, one] of steps) {
      const body = text.startsWith('[') ? [one] : one;
      expect(written(body, 4, entities, sent)).toBe(text);
      expect(filled(parseExpected(text), body, new Map(), entities, sent)).toEqual(body);
      if (!text.startsWith('Part(1) ')) entities.keep(body);
    }
    const [, , last = {}] = steps.at(-1) ?? [];
    const other = filled(parseExpected('Part(1)@2 +{"no":8}'), last, new Map(), entities);
    expect(other).not.toEqual(last);
  });

  test('now is an instant of the last minutes', () => {
    const time = (text: string): unknown => filled(parseExpected('now'), text, new Map());
    expect(new Date().toISOString()).toEqual(time(''));
    expect('2001-01-01T00:00:00.000Z').not.toEqual(time(''));
  });

  test('names stand in requests, once an answer has had them', () => {
    expect(withNames('Part(${a})/x', new Map([['a', '1;2']]))).toBe('Part(1;2)/x');
    expect(() => withNames('${a}', new Map())).toThrow('no answer has had ${a} yet');
  });
});
