import { describe, expect, test } from 'vitest';
import { atOnce } from '../../../src/base/time.ts';
import { storing } from '../../../src/run/convert/stored-value.ts';
import { parseJson } from '../../../src/protocol/body/json.ts';
import { readType } from '../../../src/schema/sqlserver/types.ts';
import type { ColumnType } from '../../../src/schema/types.ts';

function typeNamed(name: string): ColumnType {
  return readType({ name, bytes: 8, precision: 19, scale: 4, collation: null });
}

function stored(json: string, columnType: ColumnType): unknown {
  const slot = { member: 'A.b', type: columnType };
  try {
    return atOnce(storing(parseJson(json), slot, { findUpload: () => undefined }));
  } catch (error) {
    return (error as Error).message;
  }
}

describe('money of SQL Server', () => {
  const money = typeNamed('money');
  const small = typeNamed('smallmoney');

  test.each([
    [money, '922337203685477.5807'],
    [money, '-922337203685477.5808'],
    [money, '0'],
    [money, '-0.0001'],
    [money, '12.5'],
    [small, '214748.3647'],
    [small, '-214748.3648'],
  ])('$native holds %s', (type, text) => {
    expect(stored(text, type)).toBe(text);
  });

  test.each([
    [money, '922337203685477.5808', '-922337203685477.5808 to 922337203685477.5807'],
    [money, '-922337203685477.5809', '-922337203685477.5808 to 922337203685477.5807'],
    [small, '214748.3648', '-214748.3648 to 214748.3647'],
    [small, '-214748.3649', '-214748.3648 to 214748.3647'],
  ])('$native refuses %s', (type, text, range) => {
    expect(stored(text, type)).toBe(
      `${text} is not a value for A.b: expected a number from ${range}.`,
    );
  });
});
