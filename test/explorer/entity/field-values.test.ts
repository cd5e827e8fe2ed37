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
import { parsed, rows } from '../../rows.ts';
import { exactNumber, parseJson } from '../../../src/explorer/rest/json.ts';

test.each(rows`
  long64   | null | false | number
  date     | null | false | date
  date     | null | true  | dateTime
  duration | null | false | time
  bool     | null | false | boolean
  string   | 40   | false | text
  string   | 200  | false | longText
  string   | null | false | longText
  uuid     | null | false | text
  blob     | null | false | blob
`)('%s of at most %s characters, with a time: %s, is edited as %s', (type, most, time, kind) => {
  expect(inputKind(type, parsed<number | null>(most), time === 'true')).toBe(kind);
});

describe('a value is edited as text, and read from it', () => {
  test.each(rows`
    number   | 9007199254740993
    number   | 129.9000
    number   | -0.5
    number   | 3
    boolean  | false
    object   | {"a":[1.50,null,"x"]}
    text     | ""
    longText | "a\\nb"
    date     | "2024-07-04"
  `)('%s %s', (type, json) => {
    const [kind, value] = [type as InputKind, parseJson(json)];
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

  test.each(rows`
    3,5    | number | “3,5” is not a number. Decimals stand behind a point.
    abc    | number | “abc” is not a number.
  `)('%s is not a value of %s: %s', (text, kind, message) => {
    expect(valueOf(text, kind as InputKind)).toEqual({ ok: false, message });
    const broken = { ok: false, message: expect.stringContaining('This is not JSON: ') as string };
    expect(valueOf(`{"a":${text}}`, 'object')).toEqual(broken);
  });
});

test('the browser’s inputs are for what they can hold', () => {
  expect(browserDateTime('2024-01-02T01:53:59.917Z')).toBe('2024-01-02T01:53:59.917');
  expect(browserDateTime('2024-01-02T01:53:59.917419Z')).toBeNull();
  const dates = ['1582-10-15', '0000-01-01', '12024-01-01', '4!7!2024'];
  expect(dates.filter(isBrowserDate)).toEqual(['1582-10-15']);
  const times = ['08:30:00', '23:59:59.999', '24:00:00', '08:30:00.123456'];
  expect(times.filter(isBrowserTime)).toEqual(['08:30:00', '23:59:59.999']);
});

test('values are the same digit for digit', () => {
  expect(isSame(parseJson('1.50'), parseJson('1.5'))).toBe(false);
  expect(isSame(parseJson('{"a":1}'), parseJson('{ "a" : 1 }'))).toBe(true);
  expect(isSame(undefined, null)).toBe(true);
});
