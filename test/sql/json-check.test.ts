import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonCheck } from '../../src/sql/json-check.ts';

const seed = 20_261_122;

function isJson(text: string): boolean {
  const check = jsonCheck(text);
  for (;;) {
    const { done, value } = check.next();
    if (done === true) return value;
  }
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('text that is looked through in pieces', () => {
  test('is JSON where JSON.parse says so', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), fc.nat(3), (json, indent) => {
        expect(isJson(json)).toBe(true);
        expect(isJson(JSON.stringify(JSON.parse(json), null, indent))).toBe(true);
      }),
      { seed },
    );
  });

  test('is none where JSON.parse refuses it', () => {
    const tokens = [
      ...['{', '}', '[', ']', ',', ':', ' ', '\n', '\u00a0', '\ufeff', '"', '"a"', '[]', '{}'],
      ...['"a":1', '"a":', '1', '-', '-0', '01', '1.5', '.', 'e', '1E5', '1e', '+', 'NaN'],
      ...[
        'true',
        'True',
        'null',
        'a',
        '"\\n"',
        '"\\N"',
        '"\\u00e9"',
        '"\\u00E9"',
        '"\\U00e9"',
        '"\\u00e"',
      ],
      ...['"\t"', '"\u007f"', '\\', "'a'"],
    ];
    let agreed = 0;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...tokens), { maxLength: 9 }), (parts) => {
        const text = parts.join('');
        expect([text, isJson(text)]).toEqual([text, isParsed(text)]);
        if (isParsed(text)) agreed += 1;
      }),
      { seed, numRuns: 20_000 },
    );
    expect(agreed).toBeGreaterThan(500);
  });

  test.each(['[', '{"a":'])('may be nested as deep as it is long: %s', (opened) => {
    const closed = opened === '[' ? ']' : '}';
    const deep = `${opened.repeat(500_000)}1${closed.repeat(500_000)}`;
    expect(isJson(deep)).toBe(true);
    expect(isJson(deep.slice(0, -1))).toBe(false);
    expect(isJson(`${deep}${closed}`)).toBe(false);
  });
});
