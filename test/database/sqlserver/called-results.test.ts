import { EventEmitter } from 'node:events';
import type { Request } from 'tedious';
import { describe, expect, test } from 'vitest';
import { MOST_CALLED_ROWS } from '../../../src/database/database.ts';
import { CalledResults } from '../../../src/database/sqlserver/called-results.ts';
import { tsqlDialect } from '../../../src/sql/tsql/dialect.ts';

interface Sketch {
  readonly type: string;
  readonly dataLength?: number;
  readonly precision?: number;
  readonly scale?: number;
}

/** What is answered of one row, as JSON. */
function answered(column: Sketch, value: unknown, rows = 1): string | undefined {
  const request = new EventEmitter();
  const results = new CalledResults();
  results.collect(request as unknown as Request);
  const { type, ...rest } = column;
  request.emit('columnMetadata', [{ colName: 'c', type: { name: type }, ...rest }]);
  for (let row = 0; row < rows; row += 1) request.emit('row', [{ value }]);
  const [result] = results.read();
  const found = result?.types?.[0];
  const wire = result?.rows[0]?.[0];
  if (found === undefined) throw new Error('there is no type');
  const { resultReader } = tsqlDialect({ timeZone: 'UTC', bigNumbersAsStrings: false });
  return wire === null ? 'null' : resultReader(found).json(wire);
}

const date = (text: string, nanosecondsDelta?: number): Date =>
  Object.assign(new Date(text), nanosecondsDelta === undefined ? {} : { nanosecondsDelta });

describe('what a procedure answers', () => {
  test.each<readonly [Sketch, unknown, string]>([
    [{ type: 'IntN', dataLength: 4 }, 5, '5'],
    [{ type: 'Int' }, 5, '5'],
    [{ type: 'IntN', dataLength: 8 }, '9007199254740993', '9007199254740993'],
    [{ type: 'IntN', dataLength: 1 }, null, 'null'],
    [{ type: 'BitN', dataLength: 1 }, true, 'true'],
    [{ type: 'DecimalN', dataLength: 9, precision: 19, scale: 4 }, 1.5, '1.5000'],
    [{ type: 'NumericN', dataLength: 5, precision: 9, scale: 0 }, -7, '-7'],
    [{ type: 'MoneyN', dataLength: 8 }, 12.3456, '12.3456'],
    [{ type: 'FloatN', dataLength: 8 }, 0.1, '0.1'],
    [{ type: 'FloatN', dataLength: 4 }, Math.fround(0.1), '0.1'],
    [{ type: 'NVarChar', dataLength: 20 }, 'a"b', String.raw`"a\"b"`],
    [{ type: 'VarChar', dataLength: 65_535 }, 'é', '"é"'],
    [{ type: 'VarBinary', dataLength: 9 }, Buffer.from('0a1b', 'hex'), '"Chs="'],
    [
      { type: 'UniqueIdentifier' },
      'ABCDEF00-0000-0000-0000-000000000001',
      '"abcdef00-0000-0000-0000-000000000001"',
    ],
    [{ type: 'Date' }, date('2024-02-29T00:00:00Z'), '"2024-02-29"'],
    [
      { type: 'DateTimeN', dataLength: 8 },
      date('2024-02-29T12:00:00.123Z'),
      '"2024-02-29T12:00:00.123Z"',
    ],
    [
      { type: 'DateTime2', scale: 7 },
      date('2024-02-29T12:00:00.123Z', 0.000_456_7),
      '"2024-02-29T12:00:00.1234567Z"',
    ],
    [
      { type: 'DateTimeOffset', scale: 7 },
      date('2024-02-29T12:00:00Z'),
      '"2024-02-29T12:00:00.000Z"',
    ],
    [{ type: 'Time', scale: 7 }, date('1970-01-01T12:34:56.5Z'), '"12:34:56.500"'],
    [{ type: 'Xml' }, '<a/>', '"<a/>"'],
    [{ type: 'Variant' }, 5, '"5"'],
    [{ type: 'UDT' }, Buffer.from('0a1b', 'hex'), '"Chs="'],
  ])('%j of %j is %s', (column, value, expected) => {
    expect(answered(column, value)).toBe(expected);
  });

  test('is refused where the driver has cut a decimal, or there are too many rows', () => {
    const long = { type: 'DecimalN', dataLength: 17, precision: 38, scale: 20 };
    const refusal = (name: string): unknown => expect.objectContaining({ errorName: name });
    expect(() => answered(long, 1 / 3)).toThrow(refusal('inexactResult'));
    expect(answered({ ...long, scale: 2 }, 9_999_999_999_999.98)).toBe('9999999999999.98');
    expect(() => answered({ type: 'Int' }, 1, MOST_CALLED_ROWS + 1)).toThrow(
      refusal('answerTooLarge'),
    );
  });
});
