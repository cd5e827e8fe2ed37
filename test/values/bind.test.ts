import { describe, expect, test } from 'vitest';
import { bindParameter } from '../../src/values/bind.ts';
import type { Parameter, ParameterUse } from '../../src/query/ir.ts';
import type { Literal, LiteralClass } from '../../src/request/ast.ts';
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
    slot: 1,
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
