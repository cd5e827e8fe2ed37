import { describe, expect, test } from 'vitest';
import {
  browserDateTime,
  inputKind,
  isBrowserDate,
  isBrowserTime,
  isSame,
  textOf,
  valueOf,
  type InputKind,
} from '../../../src/explorer/entity/field-values.ts';
import { exactNumber, parseJson } from '../../../src/explorer/rest/json.ts';

test.each([
  ['long64', null, 'number'],
  ['date', null, 'date'],
  ['duration', null, 'time'],
  ['bool', null, 'boolean'],
  ['string', 40, 'text'],
  ['string', 200, 'longText'],
  ['string', null, 'longText'],
  ['uuid', null, 'text'],
  ['blob', null, 'blob'],
])('%s of at most %s characters is edited as %s', (type, most, kind) => {
  expect(inputKind(type, most, false)).toBe(kind);
});

test('a date with a time has an input for both', () => {
  expect(inputKind('date', null, true)).toBe('dateTime');
});

describe('a value is edited as text, and read from it', () => {
  test.each<[InputKind, string]>([
    ['number', '9007199254740993'],
    ['number', '129.9000'],
    ['number', '-0.5'],
    ['number', '3'],
    ['boolean', 'false'],
    ['object', '{"a":[1.50,null,"x"]}'],
    ['text', '""'],
    ['longText', '"a\\nb"'],
    ['date', '"2024-07-04"'],
  ])('%s %s', (kind, json) => {
    const value = parseJson(json);
    expect(valueOf(textOf(value, kind), kind)).toEqual({ ok: true, value });
  });

  test('null is not the empty text', () => {
    expect(textOf(null, 'text')).toBeNull();
    expect(valueOf(null, 'text')).toEqual({ ok: true, value: null });
    expect(valueOf('', 'text')).toEqual({ ok: true, value: '' });
    for (const kind of ['number', 'date', 'time', 'object', 'boolean'] as const) {
      expect(valueOf(' ', kind)).toEqual({ ok: true, value: null });
    }
  });

  test('a number in other forms is written as JSON has it', () => {
    expect(valueOf(' +007. ', 'number')).toEqual({ ok: true, value: 7 });
    expect(valueOf('-00.50', 'number')).toEqual({ ok: true, value: exactNumber('-0.50') });
    expect(valueOf('1e3', 'number')).toEqual({ ok: true, value: exactNumber('1e3') });
  });

  test('what is not a value says why', () => {
    expect(valueOf('3,5', 'number')).toEqual({
      ok: false,
      message: '“3,5” is not a number. Decimals stand behind a point.',
    });
    expect(valueOf('abc', 'number')).toEqual({ ok: false, message: '“abc” is not a number.' });
    expect(valueOf('{"a":}', 'object')).toEqual({
      ok: false,
      message: expect.stringContaining('This is not JSON: '),
    });
  });
});

test('the browser’s inputs are for what they can hold', () => {
  expect(browserDateTime('2024-01-02T01:53:59.917Z')).toBe('2024-01-02T01:53:59.917');
  expect(browserDateTime('2024-01-02T01:53:59.917419Z')).toBeNull();
  expect(['1582-10-15', '0000-01-01', '12024-01-01', '4!7!2024'].map(isBrowserDate)).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(['08:30:00', '23:59:59.999', '24:00:00', '08:30:00.123456'].map(isBrowserTime)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('values are the same digit for digit', () => {
  expect(isSame(parseJson('1.50'), parseJson('1.5'))).toBe(false);
  expect(isSame(parseJson('{"a":1}'), parseJson('{ "a" : 1 }'))).toBe(true);
  expect(isSame(undefined, null)).toBe(true);
});
