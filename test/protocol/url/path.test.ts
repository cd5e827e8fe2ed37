import { describe, expect, test } from 'vitest';
import { ValueList } from '../../../src/protocol/url/literals.ts';
import { parsePath, type DataclassPath } from '../../../src/protocol/url/path.ts';
import { complaint } from '../complaint.ts';
import { parsed, rows } from '../../rows.ts';

/** What a path addresses, without positions, and its values. */
function read(path: string): { readonly ast: unknown; readonly values: readonly unknown[] } {
  const values = new ValueList();
  const ast: unknown = JSON.parse(
    JSON.stringify(parsePath(path, values), (name, value: unknown) =>
      name === 'position' || name === 'shape' ? undefined : value,
    ),
  );
  return { ast, values: values.items.map(({ value }) => value) };
}

const dataclass = (name: string, selector: unknown, segments: unknown[] = []): unknown => ({
  kind: 'dataclass',
  name,
  selector,
  segments,
});
const key = (kind: string): unknown => ({
  kind: 'key',
  key: { kind: 'scalar', value: { parameter: 0, class: kind } },
});
const name = (...names: string[]): unknown => ({ names, star: false });

describe('keys', () => {
  test.each(rows`
    /Company(126) | number  | 126
    /Company[126] | number  | 126
    Company(126) | number  | 126
    /Company(-1.5e3) | number  | -1.5e3
    /Company%28126%29 | number  | 126
    /Company(true) | boolean | true
    /Company(null) | word    | null
    /Company(A@B*) | word    | A@B*
    /Company("126") | text    | 126
    /Company('A/B') | text    | A/B
    /Company("A%2FB") | text    | A/B
    /Company(A%2FB) | word    | A/B
    /Company(%22A B%22) | text    | A B
    /Company("a,b;c)d") | text    | a,b;c)d
    /Company("say "hi"") | text    | say "hi"
    /Company('O'Reilly') | text    | O'Reilly
    /Company("") | text    |
    /Company(a(b)c) | word    | a(b)c
    /Company(2024-07-14) | word    | 2024-07-14
    /Company("100%") | text    | 100%
    /Company(%25) | word    | %
    /Company("a+b") | text    | a+b
    /Company("日本") | text    | 日本
    /Company({C0FFEE00-0000-4000-8000-00000000000A}) | word    | {C0FFEE00-0000-4000-8000-00000000000A}
    /Company[%7BC0FFEE00%7D] | word    | {C0FFEE00}
  `)('%s', (path, kind, value) => {
    expect(read(path)).toEqual({ ast: dataclass('Company', key(kind)), values: [value] });
  });

  test('of several parts, in key order', () => {
    expect(read('/OrderLine(7;"2")')).toEqual({
      ast: dataclass('OrderLine', {
        kind: 'key',
        key: {
          kind: 'tuple',
          values: [
            { parameter: 0, class: 'number' },
            { parameter: 1, class: 'text' },
          ],
          raw: { parameter: 2, class: 'text' },
        },
      }),
      values: ['7', '2', '7;"2"'],
    });
  });

  test.each([
    '/OrderLine({"a":7,"b c":"x/y"})',
    '/OrderLine(%7B%22a%22:7,%22b c%22:%22x%2Fy%22%7D)',
  ])('%s, as a JSON object', (path) => {
    expect(read(path)).toEqual({
      ast: dataclass('OrderLine', {
        kind: 'key',
        key: {
          kind: 'object',
          entries: [
            ['a', { parameter: 0, class: 'text' }],
            ['b c', { parameter: 1, class: 'text' }],
          ],
          raw: { parameter: 2, class: 'text' },
        },
      }),
      values: ['7', 'x/y', '{"a":7,"b c":"x/y"}'],
    });
  });

  test.each(['"', "'", '%22'])('as a JSON object in quotes, which may be a text: %s', (quote) => {
    const text = '{"a":"x","b":1}';
    const scalar = (parameter: number): unknown => ({
      kind: 'scalar',
      value: { parameter, class: 'text' },
      object: [
        ['a', { parameter: parameter + 1, class: 'text' }],
        ['b', { parameter: parameter + 2, class: 'text' }],
      ],
    });
    const quoted = `${quote}${text}${quote}`;
    expect(read(`/A(${quoted})`)).toEqual({
      ast: dataclass('A', { kind: 'key', key: scalar(0) }),
      values: [text, 'x', '1'],
    });
    expect(read(`/A(${quoted},${quoted})`)).toEqual({
      ast: dataclass('A', { kind: 'keys', keys: [scalar(0), scalar(3)] }),
      values: [text, 'x', '1', text, 'x', '1'],
    });
  });

  test('in quotes that are not JSON objects are a text', () => {
    expect(read('/A("{"a":}")')).toEqual({
      ast: dataclass('A', key('text')),
      values: ['{"a":}'],
    });
  });

  test.each(rows`
    /A( 126 )   | {kind: scalar, value: {parameter: 0, class: number}} | 126 | \u0020126\u0020
    /A(x;y)     | {kind: tuple, values: [{parameter: 0, class: word}, {parameter: 1, class: word}]} | x | y | x;y
    /A({"a":1}) | {kind: object, entries: [[a, {parameter: 0, class: text}]]} | 1 | {"a":1}
  `)('%s, with the whole text, which may be the key', (path, node, ...values) => {
    const raw = { parameter: values.length - 1, class: 'text' };
    expect(read(path)).toEqual({
      ast: dataclass('A', { kind: 'key', key: { ...parsed(node), raw } }),
      values,
    });
  });

  test.each(['{x', '{"a":1,}', 'x;', '{"a":1} x'])(
    'that means nothing may be a text all the same: /A(%s)',
    (text) => {
      const { ast, values } = read(`/A(${text})/b`);
      const key = {
        kind: 'broken',
        raw: { parameter: 0, class: 'text' },
        refusal: expect.objectContaining({ errorName: 'badUrl' }) as unknown,
      };
      expect({ ast, last: values.at(-1) }).toEqual({
        ast: dataclass('A', { kind: 'key', key }, [[name('b')]]),
        last: text,
      });
    },
  );

  test('several plain ones share a parameter', () => {
    const values = new ValueList();
    const parsed = parsePath('/Company(1, "2",3)', values);
    expect(parsed.kind === 'dataclass' ? parsed.selector : null).toEqual({
      kind: 'keyList',
      list: { parameter: 0, class: 'list', items: ['number', 'text'], size: 3 },
    });
    expect(values.items.map(({ value }) => value)).toEqual([
      [
        { value: '1', class: 'number', within: 'the path', position: 10 },
        { value: '2', class: 'text', within: 'the path', position: 13 },
        { value: '3', class: 'number', within: 'the path', position: 17 },
      ],
    ]);
  });

  test('several of several parts are each their own', () => {
    const tuple = (first: number): unknown => ({
      kind: 'tuple',
      values: [
        { parameter: first, class: 'number' },
        { parameter: first + 1, class: 'number' },
      ],
      raw: { parameter: first + 2, class: 'text' },
    });
    expect(read('/OrderLine(7;1, 7;2 )')).toEqual({
      ast: dataclass('OrderLine', { kind: 'keys', keys: [tuple(0), tuple(3)] }),
      values: ['7', '1', '7;1', '7', '2', '7;2'],
    });
  });
});

describe('the value of a unique attribute', () => {
  const raw = (parameter: number): unknown => ({ parameter, class: 'text' });
  const refusal = expect.objectContaining({ errorName: 'badUrl' }) as unknown;

  test.each([
    ['a;b', { kind: 'tuple', values: [0, 1].map((parameter) => ({ parameter, class: 'word' })) }],
    ['{"u":1}', { kind: 'object', entries: [['u', { parameter: 0, class: 'text' }]] }],
    [' l', { kind: 'scalar', value: { parameter: 0, class: 'word' } }],
    ['%20l', { kind: 'scalar', value: { parameter: 0, class: 'word' } }],
  ])('(%s) is kept with the whole text, which may be the value', (text, node) => {
    const { ast, values } = read(`/A:b(${text})`);
    const selector = {
      kind: 'unique',
      attribute: 'b',
      key: { ...node, raw: raw(values.length - 1) },
    };
    expect({ ast, last: values.at(-1) }).toEqual({
      ast: dataclass('A', selector),
      last: text.replace('%20', ' '),
    });
  });

  test('is one: of several, the whole text may be the value', () => {
    expect(read('/A:b(x,y)')).toEqual({
      ast: dataclass('A', {
        kind: 'unique',
        attribute: 'b',
        key: { kind: 'broken', raw: raw(0), refusal },
      }),
      values: ['x,y'],
    });
  });
});

describe('other paths', () => {
  test.each([
    ['', { kind: 'catalog', what: '' }],
    ['/', { kind: 'catalog', what: '' }],
    ['/$catalog', { kind: 'catalog', what: '' }],
    ['/$catalog/', { kind: 'catalog', what: '' }],
    ['/%24catalog/$all', { kind: 'catalog', what: '$all' }],
    ['/$catalog/A,B/', { kind: 'catalog', what: 'A,B' }],
    [
      '/$directory/login',
      {
        kind: 'keyword',
        keyword: '$directory',
        what: 'login',
        more: '',
        at: { within: 'the path' },
      },
    ],
    ['/A', dataclass('A', { kind: 'all' })],
    ['//A//', dataclass('A', { kind: 'all' })],
    ['/P%C3%A2te', dataclass('Pâte', { kind: 'all' })],
    ['/A%2Fb', dataclass('A/b', { kind: 'all' })],
    ['/A/b', dataclass('A', { kind: 'all' }, [[name('b')]])],
    [
      '/A/b,c.d,e.*',
      dataclass('A', { kind: 'all' }, [[name('b'), name('c', 'd'), { names: ['e'], star: true }]]),
    ],
    ['/A/b%2Fc/d', dataclass('A', { kind: 'all' }, [[name('b/c')], [name('d')]])],
  ])('%s', (path, ast) => {
    expect(read(path)).toEqual({ ast, values: [] });
  });

  test.each([
    ['/A(1)/b/c', key('number'), '1'],
    [
      '/A:mail(x@y)/b/c',
      {
        kind: 'unique',
        attribute: 'mail',
        key: { kind: 'scalar', value: { parameter: 0, class: 'word' } },
      },
      'x@y',
    ],
    ['/A/$entityset/0F3A/b/c', { kind: 'entitySet', id: { parameter: 0, class: 'word' } }, '0F3A'],
    ['/A/b/$entityset/0F3A/c', { kind: 'entitySet', id: { parameter: 0, class: 'word' } }, '0F3A'],
    [
      '/A/b/c//$entityset/0F3A/',
      { kind: 'entitySet', id: { parameter: 0, class: 'word' } },
      '0F3A',
    ],
  ])('%s', (path, selector, value) => {
    expect(read(path)).toEqual({
      ast: dataclass('A', selector, [[name('b')], [name('c')]]),
      values: [value],
    });
  });
});

describe('what is not a path', () => {
  test.each([
    ...rows`
    /(1)                         | badUrl              | Expected the name of a dataclass. | 2
    /%20                         | badUrl              | Expected the name of a dataclass. | 2
    /A(                          | badUrl              | Expected a key, but found the end. | 4
    /A()                         | badUrl              | Expected a key, but found ")". | 4
    /A(1,)                       | badUrl              | Expected a key, but found ")". | 6
    /A(1                         | badUrl              | Expected a closing ) and then / or the end behind the key, but found the end. | 5
    /A[1)                        | badUrl              | Expected a closing ] and then / or the end behind the key, but found the end. | 6
    /A("1)                       | unclosedDoubleQuote | The quote " that opens a key is not closed. | 4
    /A('1)                       | unclosedSingleQuote | The quote ' that opens a key is not closed. | 4
    /A({"a":1)                   | badUrl              | Expected a key as a JSON object, but found "{"a":1)". | 4
    /A({a:1})                    | badUrl              | The key is not a valid JSON object. | 4
    /A({"a":null})               | badUrl              | The key's "a" is not a plain value. | 4
    /A:(1)                       | badUrl              | Expected the name of a unique attribute, but found "(1)". | 4
    /A:b                         | badUrl              | Expected a value in parentheses, but found the end. | 5
    /A:b("1","2")                | badUrl              | Expected one value in parentheses, in quotes if it holds a comma. | 5
    /A(1)/$entityset/X           | badUrl              | An entity set has no key, but found "/X". | 17
    /A(1)/b/$entityset/X         | badUrl              | An entity set has no key, but found "/X". | 19
    /A/$entityset/X/$entityset/Y | badUrl              | A path names one entity set, but found "/Y". | 27
    /A/$entityset                | badUrl              | Expected the id of an entity set, but found the end. | 14
    /A/b/$top                    | badUrl              | "$top" does not belong here. | 6
    /A/b..c                      | badAttributeList    | Expected an attribute name, but found ".c". | 6
    /$catalog/A/b                | badUrl              | Expected the end behind /rest/$catalog/A, but found "b". | 13
  `,
    ...['A,', ',A', 'A,,B', ',', '%20'].map((names) => [
      `/$catalog/${names}`,
      ...['badUrl', 'Expected names of dataclasses, with a comma between two.', '11'],
    ]),
  ])('%s', (path, error, message, position) => {
    const found = complaint(() => {
      const parsed = parsePath(path, new ValueList());
      // What may be a text all the same is refused where the model is known.
      const { selector } = parsed as Partial<DataclassPath>;
      if (selector?.kind === 'key' && selector.key.kind === 'broken') throw selector.key.refusal;
      return parsed;
    });
    expect(found).toEqual([error, `${message} (at position ${position} of the path)`]);
  });
});
