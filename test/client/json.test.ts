import { describe, expect, test } from 'vitest';
import { ExactNumber, jsonText, parseJson } from '../../src/client/json.ts';
import { inForm } from '../../src/client/model.ts';
import { model } from './sample/model.ts';

function read(text: string): unknown {
  return inForm(parseJson(text), undefined, model);
}

describe('reading JSON', () => {
  test.each([
    ['{"a":[1,-2.5,1e3,true,null,"x"]}', { a: [1, -2.5, 1000, true, null, 'x'] }],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['-9223372036854775808', -9_223_372_036_854_775_808n],
    ['1.50', 1.5],
    ['-0.0', -0],
    ['0.30000000000000004', 0.30000000000000004],
    ['1.7976931348623157e+308', Number.MAX_VALUE],
    ['1.7976931348623157E308', Number.MAX_VALUE],
    ['1E5', 100_000],
    ['5.00000000000000000', 5],
    ['-1.50000000000000000000', -1.5],
    ['0.300000000000000040', 0.30000000000000004],
    ['0.00000000000000000001', 1e-20],
    ['-0.000000e5', -0],
    ['100000000000000000000000', 1e23],
    ['100000000000000000000001', 100_000_000_000_000_000_000_001n],
    ['1.00000000000000000001', new ExactNumber('1.00000000000000000001')],
    ['1e-400', new ExactNumber('1e-400')],
    ['1e400', new ExactNumber('1e400')],
    ['4e-324', new ExactNumber('4e-324')],
    ['123456789012345678.5', new ExactNumber('123456789012345678.5')],
    ['{"12":"12.50","b\\"3.10":"\\\\"}', { '12': '12.50', 'b"3.10': '\\' }],
    ['"\\u00001.50"', '\u00001.50'],
    ['["\\u0000\\u00001.50", 2.50]', ['\u0000\u00001.50', 2.5]],
    [`"${'x'.repeat(3_000_000)}"`, 'x'.repeat(3_000_000)],
  ])('%.40s', (text, value) => {
    expect(read(text)).toEqual(value);
  });

  test.each(['', '{"a":', '[1.50', '-', '{"a":1.50.5}', '01', '1.', '[1.e5]', '\\n'])(
    'refuses %j',
    (text) => {
      expect(() => read(text)).toThrow(SyntaxError);
    },
  );
});

test('numbers are written as they were read', () => {
  const text = '{"a":[9007199254740993,12345678901234567890.12345,1.5],"b":null}';
  expect(jsonText(read(text))).toBe(text);
});

test('bytes are Base64, moments ISO 8601, and what has no form is left out', () => {
  const bytes = new Uint8Array(100_000).fill(255);
  const written = jsonText({ bytes, at: new Date(0), none: undefined, list: [undefined] });
  expect(written).toBe(
    `{"bytes":"${Buffer.from(bytes).toString('base64')}","at":"1970-01-01T00:00:00.000Z","list":[null]}`,
  );
});
