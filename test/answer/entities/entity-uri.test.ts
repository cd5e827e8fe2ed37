import { describe, expect, test } from 'vitest';
import { entityUri, memberUri } from '../../../src/answer/entities/entity-uri.ts';
import { keyText, type KeyValue } from '../../../src/run/body/entity-key.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { ValueList } from '../../../src/protocol/url/literals.ts';
import { parsePath } from '../../../src/protocol/url/path.ts';
import type { ColumnType } from '../../../src/schema/types.ts';

const integer: ColumnType = { kind: 'integer', bits: 32, signed: true, native: 'int4' };
const text: ColumnType = { kind: 'text', maxLength: null, padded: false, native: 'text' };
const hex: ColumnType = { kind: 'hex', native: 'bytea' };
const boolean: ColumnType = { kind: 'boolean', native: 'bool' };
const date: ColumnType = { kind: 'date', native: 'date' };
const instant: ColumnType = { kind: 'timestamp', zoned: true, native: 'timestamptz' };

const part = (name: string, type: ColumnType, value: string): KeyValue => ({
  name,
  type,
  text: value,
});

describe('a key of one part', () => {
  test.each([
    [integer, '126', '/rest/A(126)'],
    [instant, '2024-07-14T12:00:00.000Z', '/rest/A(2024-07-14T12%3A00%3A00.000Z)'],
    [text, 'AC/DC', '/rest/A(%22AC%2FDC%22)'],
    [text, "Men's shoes", "/rest/A(%22Men's%20shoes%22)"],
    [text, '', '/rest/A(%22%22)'],
    [hex, '0A1B', '/rest/A(0A1B)'],
    [hex, '', '/rest/A(%22%22)'],
    [text, '1/2"', "/rest/A('1%2F2%22')"],
    [text, `6'2"`, `/rest/A(%226'2%22%22)`],
    [text, `a",'`, `/rest/A('a%22%2C'')`],
    [text, `a",',`, `/rest/A(%7B%22id%22%3A%22a%5C%22%2C'%2C%22%7D)`],
    [text, '{"id":1}', "/rest/A('%7B%22id%22%3A1%7D')"],
  ])('%j %s', (type, value, uri) => {
    expect([keyText([part('id', type, value)]), entityUri('A', [part('id', type, value)])]).toEqual(
      [value, uri],
    );
  });
});

test('a key of several parts is JSON with its parts in order', () => {
  const parts = [
    part('orderNo', integer, '7'),
    part('day', date, '2024-01-31'),
    part('n"', text, 'a"b'),
    part('open', boolean, 'true'),
  ];
  expect([keyText(parts), entityUri('A', parts)]).toEqual([
    '{"orderNo":7,"day":"2024-01-31","n\\"":"a\\"b","open":true}',
    '/rest/A(%7B%22orderNo%22%3A7%2C%22day%22%3A%222024-01-31%22%2C%22n%5C%22%22%3A%22a%5C%22b%22%2C%22open%22%3Atrue%7D)',
  ]);
});

describe('the URI of an entity leads back to its key', () => {
  test.each([
    ...['a', 'AC/DC', "O'Reilly", "'quoted'", '"quoted"', 'a"b', '")', '",', '";x', `"'"`, `",'`],
    ...[
      '{"id":1}',
      '{"id":"x"}',
      'a)/b',
      'a,b',
      'a;b',
      '%41',
      '100%',
      '%22',
      '+',
      ' a ',
      '',
      '{x}',
    ],
    ...['[1]', '\\', '\\"', 'null', '42', '@*', 'é', 'e\u0301', '🚀', '\u0007', '\n', '?a=b&c'],
    ...['#', '$entityset', '.', '..'],
  ])('%j', (value) => {
    const uri = entityUri('A', [part('id', text, value)]);
    expect(uri).toMatch(/^[\u0021-\u007e]+$/);
    const values = new ValueList();
    const parsed = parsePath(uri.slice('/rest'.length), values);
    const selector = parsed.kind === 'dataclass' ? parsed.selector : null;
    const node = selector?.kind === 'key' ? selector.key : null;
    const scalar = node?.kind === 'scalar' ? node.value : undefined;
    expect(values.items[(node?.raw ?? scalar)?.parameter ?? -1]?.value).toBe(value);
  });
});

test('the URI of a relation, image or BLOB is ASCII, and is read with the name in any script', () => {
  const uri = memberUri(entityUri('日本', [part('id', integer, '1')]), 'таблицаCollection');
  expect(uri).toBe(
    '/rest/%E6%97%A5%E6%9C%AC(1)/%D1%82%D0%B0%D0%B1%D0%BB%D0%B8%D1%86%D0%B0Collection' +
      '?$expand=%D1%82%D0%B0%D0%B1%D0%BB%D0%B8%D1%86%D0%B0Collection',
  );
  expect(parseRequest(uri).ast).toMatchObject({
    kind: 'read',
    dataclass: '日本',
    segments: [[{ names: ['таблицаCollection'] }]],
    expand: [{ names: ['таблицаCollection'] }],
  });
  expect(memberUri('/rest/A(1)', 'photo', '$binary=true')).toBe(
    '/rest/A(1)/photo?$binary=true&$expand=photo',
  );
});
