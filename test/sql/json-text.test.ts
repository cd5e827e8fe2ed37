import { describe, expect, test } from 'vitest';
import {
  embeddedJson,
  isoTimestamp,
  longEmbeddedJson,
  nativeJson,
  numberJson,
} from '../../src/sql/readers.ts';
import { rows } from '../rows.ts';

describe('exact numbers', () => {
  test.each([
    ['0', '0'],
    ['-42', '-42'],
    ['9007199254740991', '9007199254740991'],
    ['-9007199254740991', '-9007199254740991'],
    ['9007199254740992', '"9007199254740992"'],
    ['-9223372036854775808', '"-9223372036854775808"'],
    ['12345678901.2345', '12345678901.2345'],
    ['123456789012.3456', '"123456789012.3456"'],
    ['0.123456789012345', '0.123456789012345'],
    ['-0.1234567890123456', '"-0.1234567890123456"'],
    // Zeros behind the point are digits of the column, too.
    ['0.0000000012345678', '"0.0000000012345678"'],
  ])('%s as a string where it is long', (digits, asString) => {
    expect([numberJson(digits, false), numberJson(digits, true)]).toEqual([digits, asString]);
  });
});

test.each(rows`
  {"a":9007199254740993} | {"a":9007199254740993}
  [1, 2]                 | [1, 2]
  "x"                    | "x"
  12                     | 12
  {"a":1                 | "{\\"a\\":1"
  NaN                    | "NaN"
`)('JSON in a column of text is passed on, other text becomes a string: %s', (text, json) => {
  expect(embeddedJson(text)).toBe(json);
});

describe('date-times', () => {
  test.each([
    ['2024-02-29 12:34:56', '2024-02-29T12:34:56.000Z'],
    ['2024-02-29 12:34:56.1', '2024-02-29T12:34:56.100Z'],
    ['2024-02-29 12:34:56.123456', '2024-02-29T12:34:56.123456Z'],
    ['2024-02-29 12:34:56.123400', '2024-02-29T12:34:56.1234Z'],
    ['2024-02-29T12:34:56.1234567', '2024-02-29T12:34:56.1234567Z'],
    ['2024-02-29 12:34:56+00', '2024-02-29T12:34:56.000Z'],
    ['2024-02-29T12:34:56.500+00:00', '2024-02-29T12:34:56.500Z'],
    ['2024-02-29T12:34:56Z', '2024-02-29T12:34:56.000Z'],
    ['infinity', 'infinity'],
    ['0044-03-15 12:00:00 BC', '0044-03-15 12:00:00 BC'],
  ])('%s', (text, iso) => {
    expect(isoTimestamp(text)).toBe(iso);
  });
});

test('JSON of a type that the engine holds to be JSON is believed where it is very long', () => {
  const long = `[${'1,'.repeat(600_000)}1]`;
  expect(nativeJson(long)).toBe(long);
  expect(nativeJson('{"a":1.50}')).toBe('{"a":1.50}');
  expect(nativeJson('no JSON')).toBe('"no JSON"');
});

describe('JSON text that is very long', () => {
  const pieces = (text: string): string[] => [...(longEmbeddedJson(text) ?? [])];

  test('is looked through in pieces', () => {
    for (const long of [
      `[${'1,'.repeat(600_000)}1]`,
      `{"text":"${'a\\u00e9'.repeat(200_000)}"}`,
      `"${'😀'.repeat(600_000)}"`,
    ]) {
      expect(pieces(long).join('')).toBe(long);
      expect(pieces(long).length).toBeGreaterThan(long.length / 300_000);
    }
  });

  test('becomes a string where it is none', () => {
    const broken = `{"emoji":"${'😀'.repeat(600_000)}",}`;
    expect(pieces(broken).join('')).toBe(JSON.stringify(broken));
    expect(Math.max(...pieces(broken).map(({ length }) => length))).toBeLessThan(600_000);
  });

  test('is what is longer than can be looked through at once', () => {
    expect(longEmbeddedJson('{"a":1}')).toBeNull();
  });
});
