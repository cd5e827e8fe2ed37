import { afterEach, describe, expect, test } from 'vitest';
import { closeAll, failure, insert, insertInTransaction, open, stillWorks } from './scripted.ts';
import type { TdsAnswer } from './tds-endpoint.ts';
import { query } from '../../targets/sql.ts';
import { parsed, rows } from '../../rows.ts';
import { calledResult } from '../../../src/database/sqlserver/called-results.ts';
import { tsqlDialect } from '../../../src/sql/tsql/dialect.ts';

afterEach(closeAll);

describe('a change on SQL Server', () => {
  test.each<TdsAnswer>([{ kind: 'cut' }, { kind: 'gone' }])(
    'whose connection is lost on the way ($kind) was not made: it is a transaction of its own',
    async (answer) => {
      const { database } = await open([answer]);
      const error = await failure(insert(database));
      expect([error.errorName, error.status]).toEqual(['databaseUnavailable', 503]);
      await stillWorks(database);
    },
  );

  test('whose session is killed was not made', async () => {
    const { database } = await open([
      {
        kind: 'errors',
        errors: [{ number: 596, message: 'The session is in the kill state.', severity: 21 }],
        rolledBack: false,
      },
    ]);
    expect((await failure(insert(database))).errorName).toBe('databaseUnavailable');
  });

  test('whose server does not hear of the end of it has five seconds, and is given up with its connection', async () => {
    const { database, since } = await open([{ kind: 'noObserver' }], {
      statementTimeoutSeconds: 0.2,
    });
    const start = performance.now();
    // Given up before its commit, it is rolled back by the server: nothing is left in doubt.
    expect((await failure(insert(database))).errorName).toBe('databaseUnavailable');
    expect(performance.now() - start).toBeGreaterThan(5000);
    await stillWorks(database);
    expect(since().filter((step) => step === 'login')).toHaveLength(1);
  }, 15_000);
});

describe('reads from a replica', () => {
  test('what writes takes connections of its own, from the first write on', async () => {
    const { database, endpoint, since } = await open([], { readOnlyIntent: true });
    await query(database, 'SELECT 1');
    expect(endpoint.seen).not.toContain('login');
    await query(database, 'SELECT 1', { fresh: true });
    await insertInTransaction(database);
    await insert(database);
    expect(since().filter((event) => event !== 'login to read')).toEqual([
      ...['request', 'login', 'login', 'request', 'begin', 'request', 'commit'],
      ...['begin', 'request', 'commit'],
    ]);
  });
});

interface Sketch {
  readonly type: string;
  readonly dataLength?: number;
  readonly precision?: number;
  readonly scale?: number;
}

/** What is answered of one value, as JSON. */
function answered({ type, ...rest }: Sketch, value: unknown): string {
  const metadata = [{ colName: 'c', type: { name: type }, ...rest }];
  const { columns, types = [], rows } = calledResult({ columns: ['c'], metadata, rows: [[value]] });
  expect(columns).toEqual(['c']);
  const [found] = types;
  const wire = rows[0]?.[0];
  if (found === undefined) throw new Error('there is no type');
  const { resultReader } = tsqlDialect({ timeZone: 'UTC', bigNumbersAsStrings: false });
  return wire === null || wire === undefined ? 'null' : resultReader(found).json(wire);
}

describe('what a procedure answers', () => {
  test.each(rows`
    {type: IntN, dataLength: 4}                               | 5                                       | 5
    {type: Int}                                               | 5                                       | 5
    {type: IntN, dataLength: 8}                               | '9007199254740993'                      | 9007199254740993
    {type: IntN, dataLength: 1}                               | null                                    | null
    {type: BitN, dataLength: 1}                               | true                                    | true
    {type: DecimalN, dataLength: 9, precision: 19, scale: 4}  | '1.5000'                                | 1.5000
    {type: NumericN, dataLength: 5, precision: 9, scale: 0}   | '-7'                                    | -7
    {type: DecimalN, dataLength: 17, precision: 38, scale: 8} | '123456789012345678901234567890.123456' | 123456789012345678901234567890.123456
    {type: MoneyN, dataLength: 8}                             | '12.3456'                               | 12.3456
    {type: FloatN, dataLength: 8}                             | 0.1                                     | 0.1
    {type: FloatN, dataLength: 4}                             | 0.10000000149011612                     | 0.1
    {type: NVarChar, dataLength: 20}                          | a"b                                     | "a\\"b"
    {type: VarChar, dataLength: 65535}                        | é                                       | "é"
    {type: VarBinary, dataLength: 9}                          | {hex: 0a1b}                             | "Chs="
    {type: UniqueIdentifier}                                  | ABCDEF00-0000-0000-0000-000000000001    | "abcdef00-0000-0000-0000-000000000001"
    {type: Date}                                              | '2024-02-29'                            | "2024-02-29"
    {type: DateTimeN, dataLength: 8}                          | 2024-02-29T12:00:00.123                 | "2024-02-29T12:00:00.123Z"
    {type: DateTime2, scale: 7}                               | 2024-02-29T12:00:00.1234567             | "2024-02-29T12:00:00.1234567Z"
    {type: DateTimeOffset, scale: 7}                          | 2024-02-29T12:00:00.0000000             | "2024-02-29T12:00:00.000Z"
    {type: Time, scale: 7}                                    | '12:34:56.5000000'                      | "12:34:56.500"
    {type: Xml}                                               | <a/>                                    | "<a/>"
    {type: Variant}                                           | 5                                       | "5"
    {type: Variant}                                           | {date: '2024-02-29T12:00:00.123Z', nanosecondsDelta: 0.0004567} | "2024-02-29T12:00:00.1234567"
    {type: UDT}                                               | {hex: 0a1b}                             | "Chs="
    # As a driver of an unknown version reads them.
    {type: DecimalN, precision: 19, scale: 4}                 | 99999999999.9999                        | 99999999999.9999
    {type: NumericN, precision: 38, scale: 20}                | -1e-20                                  | -0.00000000000000000001
    {type: MoneyN, dataLength: 8}                             | 12.5                                    | 12.5000
    {type: Date}                                              | {date: '2024-02-29'}                    | "2024-02-29"
    {type: Time, scale: 7}                                    | {date: '1970-01-01T12:34:56.5Z', nanosecondsDelta: 0.0000001} | "12:34:56.5000001"
    {type: DateTime2, scale: 0}                               | {date: '0001-01-01'}                    | "0001-01-01T00:00:00.000Z"
  `)('%s of %s is %s', (column, cell, expected) => {
    const value = parsed<{ hex?: string; date?: string } | null>(cell);
    const bytes = value?.hex === undefined ? value : Buffer.from(value.hex, 'hex');
    const given = value?.date === undefined ? bytes : Object.assign(new Date(value.date), value);
    expect(answered(parsed<Sketch>(column), given)).toBe(expected);
  });

  test.each([1e15, -123_456_789_012_345_680])('a double of more than 15 digits: %d', (value) => {
    const column = { type: 'DecimalN', precision: 38, scale: 0 };
    expect(() => answered(column, value)).toThrow('more than 15 digits');
  });
});
