import { describe, expect, test } from 'vitest';
import { bindKeys, bindParameter, listBinder } from '../../../src/run/convert/bind.ts';
import type { Parameter, ParameterUse } from '../../../src/sql/ir/ir.ts';
import type { Literal, LiteralClass } from '../../../src/protocol/ast.ts';
import { decimalType, readType } from '../../../src/schema/sqlserver/types.ts';
import type { Dialect } from '../../../src/sql/dialect.ts';
import { NOBODY } from '../../../src/base/principal.ts';
import { postgres, tsql } from '../../fixtures/dialects.ts';

function literal(value: Literal['value'], kind: LiteralClass = 'text'): Literal {
  return { value, class: kind, within: '$filter', position: 1 };
}

function parameter(use: ParameterUse): Parameter {
  return {
    kind: 'parameter',
    source: { from: 'request', parameter: 1 },
    type: { kind: 'text', maxLength: null, padded: false, native: 'text' },
    use,
    meets: 'Employee.note',
  };
}

/** The parameter's text for the second of a request's values, for both dialects. */
function bound(use: ParameterUse, value: Literal['value']): [postgres: string, tsql: string] {
  const given = { values: [literal('another value'), literal(value)], claims: NOBODY.claims };
  return [
    bindParameter(parameter(use), given, postgres),
    bindParameter(parameter(use), given, tsql),
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

describe('values of a short list', () => {
  const list = parameter('list');
  const item = (index: number, items: readonly Literal[], type = list.type): string | null =>
    listBinder({ values: [literal('another'), literal([...items])], claims: NOBODY.claims }, tsql)(
      { ...list, type },
      index,
    );

  test('are filled up with the last one', () => {
    const items = [literal('null', 'null'), literal('a'), literal('b')];
    expect([0, 1, 2].map((index) => item(index, items))).toEqual(['a', 'b', 'b']);
    expect(item(0, [literal('null', 'null')])).toBeNull();
  });

  test('are those that the type has', () => {
    const decimal = decimalType('decimal', 5, 1);
    const items = ['1.55', '2.5', '3.14'].map((text) => literal(text, 'number'));
    expect([0, 1, 2].map((index) => item(index, items, decimal))).toEqual(['2.5', '2.5', '2.5']);
    expect(item(0, items.slice(0, 1), decimal)).toBeNull();
    expect(() => item(0, [literal('x')], decimal)).toThrow('"x" is not a value for Employee.note');
  });
});

describe('patterns of more than 8,000 bytes are refused (learn: like)', () => {
  test.each([
    ['begins', 'x'.repeat(4000)],
    ['contains', '%'.repeat(1333)],
    ['wildcard', `@${'x'.repeat(4000)}`],
  ] as const)('%s', (use, text) => {
    const values = [literal('another value'), { ...literal(text), position: 7 }];
    const bind = (dialect: Dialect): string =>
      bindParameter(parameter(use), { values, claims: NOBODY.claims }, dialect);
    expect(bind(postgres)).toContain(text.slice(-1));
    expect(() => bind(tsql)).toThrow(
      'is too long to be looked for in Employee.note: as a pattern it has 4001 characters, and the database takes 4000 (at position 7 of $filter)',
    );
  });

  test('4,000 characters are none too many', () => {
    expect(bound('begins', 'x'.repeat(3999))[1]).toHaveLength(4000);
  });
});

describe('keys of several parts', () => {
  const found = { bytes: 8, precision: 10, scale: 2, collation: null };
  const types = [readType({ ...found, name: 'datetime' }), readType({ ...found, name: 'decimal' })];
  const keys = {
    kind: 'keys',
    parameters: [
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
    expect(bound).toBe('[[0,"2024-02-29T12:00:00.003","1.25"]]');
  });

  test('are refused where a part is not a value of its type', () => {
    const values = ['2024-02-29T12:00:00Z', 'much', '2024-02-29T12:00:00Z', '1'];
    expect(() =>
      bindKeys(
        keys,
        values.map((value) => literal(value)),
        tsql,
      ),
    ).toThrow('"much" is not a value for Rate.value: expected a number');
  });
});
