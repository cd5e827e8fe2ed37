import { describe, expect, test } from 'vitest';
import { bindKeys, bindParameter } from '../../src/values/bind.ts';
import type { Parameter, ParameterUse } from '../../src/query/ir.ts';
import type { Literal, LiteralClass } from '../../src/request/ast.ts';
import { readType } from '../../src/schema/sqlserver-types.ts';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';

const settings = { timeZone: 'UTC', bigNumbersAsStrings: false };
const postgres = postgresDialect(settings, { version: 17 });
const tsql = tsqlDialect(settings);

function literal(value: Literal['value'], kind: LiteralClass = 'text'): Literal {
  return { value, class: kind, within: '$filter', position: 1 };
}

function parameter(use: ParameterUse): Parameter {
  return {
    kind: 'parameter',
    source: { from: 'request', slot: 1 },
    type: { kind: 'text', maxLength: null, padded: false, native: 'text' },
    use,
    meets: 'Employee.note',
  };
}

/** The parameter's text for the second of a request's values, for both dialects. */
function bound(use: ParameterUse, value: Literal['value']): [postgres: string, tsql: string] {
  const values = [literal('another value'), literal(value)];
  return [
    bindParameter(parameter(use), values, postgres),
    bindParameter(parameter(use), values, tsql),
  ];
}

describe('patterns', () => {
  test.each([
    ['begins', '50%_off', '50\\%\\_off%', '50[%][_]off%'],
    ['begins', '', '%', '%'],
    ['begins', '[draft]@*', '[draft]@*%', '[[]draft]@*%'],
    ['contains', 'C:\\Users', '%C:\\\\Users%', '%C:\\Users%'],
    ['wildcard', '@', '%', '%'],
    ['wildcard', 'S@n', 'S%n', 'S%n'],
    ['wildcard', 'S*', 'S%', 'S%'],
    ['wildcard', 'five *stars*', 'five *stars%', 'five *stars%'],
    ['wildcard', '@50%_[off]@*', '%50\\%\\_[off]%%', '%50[%][_][[]off]%%'],
    ['wildcard', '**', '*%', '*%'],
    ['value', '50%_[@*\\', '50%_[@*\\', '50%_[@*\\'],
  ] as const)('%s of %j', (use, text, forPostgres, forTsql) => {
    expect(bound(use, text)).toEqual([forPostgres, forTsql]);
  });
});

describe('lists', () => {
  test('quote every item, and leave nulls out: no value equals them', () => {
    const items = [
      literal('a"b\\c'),
      literal('null', 'null'),
      literal('{x,y}'),
      literal('NULL'),
      literal(''),
    ];
    expect(bound('list', items)).toEqual([
      '{"a\\"b\\\\c","{x,y}","NULL",""}',
      '["a\\"b\\\\c","{x,y}","NULL",""]',
    ]);
  });

  test('are empty where nothing is in them, and hold one item where one value is given', () => {
    expect(bound('list', [])).toEqual(['{}', '[]']);
    expect(bound('list', 'a')).toEqual(['{"a"}', '["a"]']);
  });
});

describe('keys of several parts', () => {
  const found = { bytes: 8, precision: 10, scale: 2, collation: null };
  const types = [readType({ ...found, name: 'datetime' }), readType({ ...found, name: 'decimal' })];
  const keys = {
    kind: 'keys',
    slots: [
      [0, 1],
      [2, 1],
      [0, 3],
    ],
    types,
    meets: ['Rate.at', 'Rate.value'],
  } as const;

  test('are rows with their ordinals, without those whose parts stand between two steps', () => {
    const values = ['2024-02-29T12:00:00.003Z', '1.25', '2024-02-29T12:00:00.004Z', '1.255'];
    const bound = bindKeys(
      keys,
      values.map((value) => literal(value)),
      tsql,
    );
    expect(bound).toBe('[[0,"2024-02-29T12:00:00.003Z","1.25"]]');
  });

  test('are refused where a part is no value of its type', () => {
    const values = ['2024-02-29T12:00:00Z', 'much', '2024-02-29T12:00:00Z', '1'];
    expect(() =>
      bindKeys(
        keys,
        values.map((value) => literal(value)),
        tsql,
      ),
    ).toThrow('"much" is no value for Rate.value: expected a number');
  });
});
