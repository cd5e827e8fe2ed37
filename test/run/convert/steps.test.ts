import { describe, expect, test } from 'vitest';
import { isOnStep, roundToStep } from '../../../src/run/convert/bind.ts';
import type { ColumnType } from '../../../src/schema/types.ts';
import { readType } from '../../../src/schema/sqlserver/types.ts';

function typeNamed(name: string, precision = 0, scale = 0): ColumnType {
  return readType({ name, bytes: 8, precision, scale, collation: null });
}

const datetime = typeNamed('datetime');
const smalldatetime = typeNamed('smalldatetime');
const whole = typeNamed('decimal', 38, 0);
const fine = typeNamed('decimal', 38, 2);
const millis = typeNamed('datetime2', 23, 3);
const offset = typeNamed('datetimeoffset', 26, 0);
const plain = typeNamed('decimal', 10, 2);
const money = typeNamed('money', 19, 4);
const smallmoney = typeNamed('smallmoney', 10, 4);

describe('a value between two steps of its type', () => {
  test.each([
    [datetime, '2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z', '2024-02-29T12:00:00.000Z'],
    [datetime, '2024-02-29T12:00:00.003Z', '2024-02-29T12:00:00.003Z', '2024-02-29T12:00:00.003Z'],
    [datetime, '2024-02-29T12:00:00.0031Z', '2024-02-29T12:00:00.003Z', '2024-02-29T12:00:00.007Z'],
    [datetime, '1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.997Z', '1970-01-01T00:00:00.000Z'],
    [smalldatetime, '1969-12-31T23:59:30Z', '1969-12-31T23:59:00.000Z', '1970-01-01T00:00:00.000Z'],
    [smalldatetime, '2024-02-29T12:01:00Z', '2024-02-29T12:01:00.000Z', '2024-02-29T12:01:00.000Z'],
    [millis, '2024-02-29T12:00:00.1235Z', '2024-02-29T12:00:00.123Z', '2024-02-29T12:00:00.124Z'],
    [millis, '2023-12-31T23:59:59.9995Z', '2023-12-31T23:59:59.999Z', '2024-01-01T00:00:00Z'],
    [millis, '2024-02-29T12:00:00.12Z', '2024-02-29T12:00:00.12Z', '2024-02-29T12:00:00.12Z'],
    [millis, '2024-02-29T12:00:00Z', '2024-02-29T12:00:00Z', '2024-02-29T12:00:00Z'],
    [
      millis,
      '9999-12-31T23:59:59.9999999Z',
      '9999-12-31T23:59:59.999Z',
      '9999-12-31T23:59:59.999Z',
    ],
    [offset, '2024-02-29T12:00:00.5Z', '2024-02-29T12:00:00Z', '2024-02-29T12:00:01Z'],
    [whole, '-1.5', '-2', '-1'],
    [whole, '-0.5', '-1', '0'],
    [whole, '0.5', '0', '1'],
    [whole, '7', '7', '7'],
    [fine, '9.999', '9.99', '10.00'],
    [fine, '-0.001', '-0.01', '0.00'],
    [fine, '0.12', '0.12', '0.12'],
    [plain, '0.125', '0.12', '0.13'],
    [plain, '-7.5', '-7.5', '-7.5'],
    [money, '0.00011', '0.0001', '0.0002'],
    [smallmoney, '-0.00001', '-0.0001', '0.0000'],
  ])('%o: %s is between %s and %s', (type, value, down, up) => {
    expect([
      roundToStep(value, type, 'down'),
      roundToStep(value, type, 'up'),
      isOnStep(value, type),
    ]).toEqual([down, up, down === up]);
  });

  test('is the value itself where the engine can look between', () => {
    const numeric: ColumnType = { kind: 'decimal', precision: 10, scale: 2, native: 'numeric' };
    for (const type of [typeNamed('datetime2', 0, 7), numeric]) {
      expect(roundToStep('1.2345', type, 'down')).toBe('1.2345');
      expect(isOnStep('1.2345', type)).toBe(true);
    }
  });
});
