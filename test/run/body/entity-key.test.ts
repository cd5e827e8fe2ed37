import { describe, expect, test } from 'vitest';
import type { Dataclass } from '../../../src/model/types.ts';
import { parseJson } from '../../../src/protocol/body/json.ts';
import { bodyKey } from '../../../src/run/body/entity-key.ts';
import { complaint } from '../../protocol/complaint.ts';
import { postgres } from '../../fixtures/dialects.ts';

const { limits } = postgres;
const hex = { name: 'id', columnType: { kind: 'hex', native: 'bytea' } };
const number = { name: 'no', columnType: { kind: 'integer', bits: 32, signed: true } };
const plain = { name: 'Part', key: [hex] } as unknown as Dataclass;
const composite = { name: 'Part', key: [hex, number] } as unknown as Dataclass;

describe('a key of bytes', () => {
  test.each([
    [plain, '"0a1b"', ['0A1B']],
    [plain, '"12"', ['12']],
    [plain, '{"id":"12"}', ['12']],
    [composite, '{"id":"12","no":12}', ['12', '12']],
    [composite, '"12;12"', ['12', '12']],
  ])('%#: %s', (dataclass, json, parts) => {
    expect(bodyKey(parseJson(json), dataclass, '__KEY', limits)).toEqual(parts);
  });

  test.each([
    [plain, '12'],
    [plain, '{"id":12}'],
    [composite, '{"id":12,"no":1}'],
    [composite, '"{\\"id\\":12,\\"no\\":1}"'],
  ])('%#: a number is none, %s', (dataclass, json) => {
    expect(complaint(() => bodyKey(parseJson(json), dataclass, '__KEY', limits))).toEqual([
      'wrongType',
      '__KEY is not a key of Part: 12 is not a value for Part.id, expected bytes as hexadecimal digits in quotes, such as "0A1B".',
    ]);
  });
});

describe('a key that is longer than any that is stored', () => {
  const text = { name: 'code', columnType: { kind: 'text', native: 'text' } };
  const one = { name: 'Part', key: [text] } as unknown as Dataclass;
  const two = { name: 'Part', key: [text, number] } as unknown as Dataclass;
  const long = 'x'.repeat(262_145);

  test.each([
    [one, long],
    [one, { code: long }],
    [two, { code: long, no: 1 }],
    [two, `${long};1`],
    [two, `{"code":"${long}","no":1}`],
  ])('%#: is not an entity’s', (dataclass, value) => {
    const [name, message] = complaint(() => bodyKey(value, dataclass, '__KEY', limits));
    expect(name).toBe('noEntityToWrite');
    expect(message.length).toBeLessThan(500);
    expect(message).toMatch(/^There is no entity Part\(/);
    expect(complaint(() => bodyKey(value, dataclass, 'Part.whole', limits))[0]).toBe(
      'brokenReference',
    );
  });

  test('the longest is one', () => {
    expect(bodyKey(long.slice(1), one, '__KEY', limits)).toEqual([long.slice(1)]);
  });
});
