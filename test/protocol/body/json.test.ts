import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atOnce, inSlices, TimeSlice } from '../../../src/base/time.ts';
import {
  BrokenJson,
  Digits,
  isJsonObject,
  jsonReading,
  type JsonValue,
  parseJson,
  repetitionIn,
} from '../../../src/protocol/body/json.ts';
import { jsonText, jsonWriting } from '../../../src/protocol/body/json-writer.ts';
import { seed } from '../../property/seed.ts';

/** What is wrong with a text, and where. */
function broken(text: string): readonly [message: string, position: number] | null {
  try {
    parseJson(text);
    return null;
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error;
    return [error.message, error.position];
  }
}

/** The value of a text that is read a character, or as few as it can, at a time. */
function crumbled(text: string): JsonValue {
  return atOnce(jsonReading(text, Infinity, 1));
}

describe('JSON text', () => {
  test('is read as JSON.parse reads it, also in pieces, and written as JSON.stringify writes it', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), fc.nat(3), (json, indent) => {
        const expected = JSON.parse(json) as unknown;
        const text = JSON.stringify(expected, null, indent);
        expect(plain(parseJson(text))).toEqual(expected);
        expect(plain(crumbled(text))).toEqual(expected);
        expect(JSON.parse(jsonText(parseJson(text)))).toEqual(expected);
      }),
      { seed },
    );
  });

  test('may be cut anywhere in its texts, but within an escape', () => {
    const pieces = [
      ...['\\\\', '\\"', '\\n', '\\ud83d', '\\ude00', '\\u005c', '\\u0022', 'u', 'a', '😀', '\\x'],
      '\\u00',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (parts) => {
        const text = `{"${parts.join('')}":["${parts.join('')}"]}`;
        if (!isJson(text)) {
          expect(() => crumbled(text)).toThrow(BrokenJson);
          return;
        }
        const expected = JSON.parse(text) as unknown;
        expect(plain(crumbled(text))).toEqual(expected);
        expect(plain(parseJson(text))).toEqual(expected);
      }),
      { seed, numRuns: 3000 },
    );
  });

  test('that is long is read in pieces where its texts are', () => {
    const escapes = '\\ud83d\\ude00\\\\\\u005c\\"'.repeat(60_000);
    for (let shift = 0; shift < 7; shift += 1) {
      const text = `"${'a'.repeat(shift)}${escapes}"`;
      const reading = jsonReading(text);
      let step = reading.next();
      let steps = 1;
      for (; step.done !== true; steps += 1) step = reading.next();
      const { value } = step;
      expect(value === JSON.parse(text)).toBe(true);
      expect(parseJson(text) === value).toBe(true);
      expect(steps).toBeGreaterThan(text.length / 100_000);
    }
  });

  test('is refused where JSON.parse refuses it', () => {
    const pieces = [
      ...['{', '}', '[', ']', '"', 'a', ':', ',', '1', '-', '.', 'e', ' ', '\\', 'u00', 'true'],
      ...['null', '\n', '"a"', '[]'],
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        expect(broken(text) === null).toBe(isJson(text));
      }),
      { seed, numRuns: 3000 },
    );
  });

  test.each<[text: string, message: string, position: number]>([
    ['', 'JSON value expected but reached end of input', 1],
    ['x', "JSON value expected but got 'x'", 1],
    ['nul', "JSON value expected but got 'n'", 1],
    ['[1,]', "array item expected but got ']'", 4],
    ['[1 2]', "comma ',' expected after value but got '2'", 4],
    ['[1', "array item or end of array ']' expected but reached end of input", 3],
    ['{"a":1', "quoted object key or end of object '}' expected but reached end of input", 7],
    ['{a:1}', "quoted object key expected but got 'a'", 2],
    ['{"a" 1}', "colon ':' expected after property name but got '1'", 6],
    ['{"a":}', "object value expected after ':'", 6],
    ['"a', "end of string '\"' expected but reached end of input", 3],
    ['"a\\x"', "invalid escape character '\\x'", 3],
    ['"a\\u12"', "invalid unicode character '\\u12'", 3],
    ['"a\nb"', "invalid character '\n'", 3],
    [`"${'\\"'.repeat(40_000)}\\x"`, 'invalid character or escape in a text', 1],
    ['-', "invalid number '-', expecting a digit but reached end of input", 2],
    ['1.x', "invalid number '1.', expecting a digit but got 'x'", 3],
    ['1e+', "invalid number '1e+', expecting a digit but reached end of input", 4],
    ['01', "expected end of input but got '1'", 2],
    ['7'.repeat(150_001), 'a number of 150001 characters, more than any column holds', 1],
    ['['.repeat(5001), 'it is nested too deeply', 1],
  ])('%.20s is refused', (text, message, position) => {
    expect(broken(text)).toEqual([message, position]);
  });

  test('is refused where an object has too many members', () => {
    const members = Array.from({ length: 50_001 }, (_, index) => `"a${index}":1`);
    expect(broken(`{${members.slice(1).join(',')}}`)).toBeNull();
    expect(broken(`{${members.join(',')}}`)?.[0]).toBe('an object of more than 50000 members');
  });

  test.each<[text: string, value: JsonValue]>([
    ['1.0', new Digits('1.0')],
    ['-0', new Digits('-0')],
    ['9007199254740993', new Digits('9007199254740993')],
    ['1e999', new Digits('1e999')],
    ['-1.5', -1.5],
    [' "\\ud83d\\ude00\\/" ', '😀/'],
    ['"\\ud83d"', '\ud83d'],
  ])('keeps what %s says', (text, value) => {
    expect(parseJson(text)).toEqual(value);
    expect(jsonText(parseJson(text))).toBe(
      typeof value === 'string' ? JSON.stringify(value) : text,
    );
  });

  test('may name a member twice, of which the last one counts', () => {
    const object = parseJson('{"a":1,"b":0,"a":2,"a":3}');
    if (!isJsonObject(object)) throw new Error('it is not an object');
    expect([object, repetitionIn(object)]).toEqual([
      { a: 3, b: 0 },
      new BrokenJson("duplicate key 'a' encountered", 15),
    ]);
  });

  test('is read in turns with others', async () => {
    const text = `[${Array(200_000).fill('{"a":"\\""}').join(',')}]`;
    let turns = 0;
    const count = setInterval(() => (turns += 1));
    const value = await inSlices(jsonReading(text), new TimeSlice());
    clearInterval(count);
    expect([(value as readonly unknown[]).length, turns > 1]).toEqual([200_000, true]);
  });

  test('is written in steps where a text is long, each piece checked', () => {
    const long = `${'"é\n'.repeat(200_000)}😀`;
    const value = { a: [1, long, { b: long }], c: 'x' };
    const checked: (readonly [value: JsonValue, depth: number])[] = [];
    const writing = jsonWriting(value, (...seen) => checked.push(seen));
    const steps = [...writing];
    expect(steps.length).toBeGreaterThan(10);
    expect(jsonText(value) === JSON.stringify(value)).toBe(true);
    expect(jsonText(long) === JSON.stringify(long)).toBe(true);
    const pieces = checked.filter(([seen]) => typeof seen === 'string' && seen.length > 1);
    expect(pieces.map(([, depth]) => depth)).toEqual([2, 2, 2, 3, 3, 3]);
    const texts = pieces.map(([piece]) => piece as string);
    expect(texts.join('') === long + long).toBe(true);
  });

  test('is written in steps where it has many values, and checked on the way', () => {
    expect([...jsonWriting(Array.from({ length: 12_000 }, (_, at) => at))]).toHaveLength(2);
    const seen: unknown[] = [];
    const text = atOnce(jsonWriting({ a: [1, { b: null }] }, (...checked) => seen.push(checked)));
    expect(text).toBe('{"a":[1,{"b":null}]}');
    expect(seen).toEqual([
      [{ a: [1, { b: null }] }, 0],
      ['a', 1],
      [[1, { b: null }], 1],
      [1, 2],
      [{ b: null }, 2],
      ['b', 3],
      [null, 3],
    ]);
  });
});

test('a long name is written in pieces', () => {
  const name = '"\u{1f600}é'.repeat(150_000);
  const seen: number[] = [];
  const steps = jsonWriting({ a: 1, [name]: [true], b: 2 }, (checked) => {
    if (typeof checked === 'string') seen.push(checked.length);
  });
  let turns = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) turns += 1;
  expect(step.value).toBe(`{"a":1,${JSON.stringify(name)}:[true],"b":2}`);
  expect(turns).toBeGreaterThan(4);
  expect(Math.max(...seen)).toBeLessThan(300_000);
  expect(seen.reduce((sum, length) => sum + length, 0)).toBe(name.length + 2);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Digits as the number that JavaScript makes of them. */
function plain(value: JsonValue): unknown {
  if (value instanceof Digits) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
