import { expect, test } from 'vitest';
import { jsonString } from '../../src/base/json-string.ts';

test('each character is written as JSON.stringify writes it', () => {
  for (let code = 0; code <= 0xffff; code += 1) {
    const text = `a${String.fromCharCode(code)}b`;
    if (jsonString(text) !== JSON.stringify(text))
      expect(jsonString(text)).toBe(JSON.stringify(text));
  }
  const pairs = ['', '\u{1f600}', '\ud83d', '\ude00\ud83d', 'a\u{1f600}\ud83d"'];
  expect(pairs.map(jsonString)).toEqual(pairs.map((text) => JSON.stringify(text)));
});
