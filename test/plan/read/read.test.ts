import { describe, expect, test } from 'vitest';
import type { ReadPlan } from '../../../src/plan/condition/types.ts';
import { planRead } from '../../../src/plan/read/read.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { planning, queryOf, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { findDataclass } from '../../../src/model/lookup.ts';
import { Aliases, Scope } from '../../../src/plan/condition/scope.ts';
import { keyOrder } from '../../../src/plan/read/projection.ts';
import { model, table, type TableSketch } from '../../model/physical.ts';

const sample = await sampleModel(readSnapshot('postgres'));

function plan(url: string, nullsMatchNotEqual = false): ReadPlan {
  const { ast } = parseRequest(url);
  if (ast.kind !== 'read') throw new Error(`${url} is not a read`);
  return planRead(ast, planning(sample, undefined, { nullsMatchNotEqual }));
}

describe('conditions', () => {
  const column = expect.objectContaining({ kind: 'column', name: 'GRADE_CD' });
  const unequal = {
    kind: 'compare',
    operator: '<>',
    left: column,
    right: expect.objectContaining({ kind: 'parameter', use: 'value', meets: 'Employee.grade' }),
  };

  test.each([
    [false, unequal],
    [true, { kind: 'or', items: [unequal, { kind: 'isNull', negated: false, operand: column }] }],
  ])('!= with nullsMatchNotEqual: %s', (nullsMatchNotEqual, expected) => {
    const query = queryOf(
      plan('/rest/Employee?$filter=grade!=1', nullsMatchNotEqual).fetch,
      'select',
    );
    expect(query.where).toEqual({ kind: 'and', items: [expected] });
  });

  const birth = expect.objectContaining({ kind: 'column', name: 'BIRTH_DT' });
  const isNull = { kind: 'isNull', negated: false, operand: birth };
  const isDate = { kind: 'isNull', negated: true, operand: birth };

  test.each([
    ['=', isNull],
    ['!=', isDate],
    ['<=', isNull],
    ['>', isDate],
    ['<', { kind: 'and', items: [isNull, isDate] }],
    ['>=', { kind: 'or', items: [isNull, isDate] }],
  ])('no date is before all dates: %s', (comparator, expected) => {
    for (const none of ['0!0!0', '00!00!00', '0!0!0000', '!!0000-00-00!!']) {
      const query = queryOf(
        plan(`/rest/Employee?$filter="birthDate ${comparator} ${none}"`).fetch,
        'select',
      );
      expect(query.where).toEqual({ kind: 'and', items: [expected] });
    }
  });
});

test.each([
  ['Company(1)', false],
  ['Product:sku(x)', false],
  ['Employee(1)/employer', true],
  ['Company(1)/employees/department', true],
])('behind a relation, what %s leads to may not be there: %s', (path, nullable) => {
  expect(plan(`/rest/${path}`).nullable).toBe(nullable);
});

describe('what a URL addresses', () => {
  /** The text that the key or the unique attribute is compared with. */
  function addressed(url: string): unknown[] {
    const { values } = parseRequest(url);
    return plan(url).addressed.keys.map(({ parameter }) => values[parameter]?.value);
  }

  test.each([
    ['Category(a;b)', 'a;b'],
    ['Category({"code":"x"})', '{"code":"x"}'],
    ['Category({"code":1})', '{"code":1}'],
    ['Category( x)', ' x'],
    ['Category("x")', 'x'],
    ['Category({x)', '{x'],
    ['Product:sku(a;b)', 'a;b'],
    ['Product:sku(a,b)', 'a,b'],
    ['Product:sku({"sku":1})', '{"sku":1}'],
    ['Product:sku(%20x)', ' x'],
    ['Product:sku("x")', 'x'],
    ['Product:sku({x)', '{x'],
    ['Product:barcode( 7 )', '7'],
    ['OrderLine(7; 2)', '7', '2'],
    ['OrderLine({"line":2,"orderNo":7})', '7', '2'],
  ])('of one text, all of it: %s', (path, ...texts) => {
    expect(addressed(`/rest/${path}`)).toEqual(texts);
  });

  test('each of several keys of one text is all of it', () => {
    const url = '/rest/Category(a;b, {"code":1} ,c)';
    const { values } = parseRequest(url);
    const { where } = queryOf(plan(url).fetch, 'select');
    const [condition] = where?.kind === 'and' ? where.items : [];
    const keys = condition?.kind === 'keyIn' ? condition.keys : null;
    const parameters = keys?.kind === 'keys' ? keys.parameters : [];
    expect(parameters.map((key) => key.map((parameter) => values[parameter]?.value))).toEqual([
      ['a;b'],
      ['{"code":1}'],
      ['c'],
    ]);
  });

  test('is one value of a unique attribute that is not text', () => {
    expect(() => addressed('/rest/Product:barcode(1;2)')).toThrow(
      'Product.barcode is one value: expected Product:barcode(value).',
    );
  });
});

describe('the order without a key', () => {
  /** The columns that rows without a key are ordered by, with a mark behind those that only break ties. */
  async function order(sketch: TableSketch): Promise<string[]> {
    const dataclass = findDataclass(await model([table('T', sketch)], { t: 'table: S.T' }), 'T');
    const terms = keyOrder(Scope.root({ ...dataclass, key: [] }, new Aliases()));
    return terms.map(({ operand, tieBreak }) => {
      const name = operand.kind === 'column' ? operand.name : '';
      return tieBreak === true ? `${name}?` : name;
    });
  }

  const columns = { A: 'text', B: 'int', C: 'text?', D: 'binary' } as const;

  test('rows without a key are ordered by what is unique and never null', async () => {
    const indexes = [
      { name: 'I', columns: ['A'], unique: false },
      { name: 'J', columns: ['C', 'B'], unique: true },
      { name: 'K', columns: ['B', 'A'], unique: true },
    ];
    expect(await order({ columns, indexes })).toEqual(['B', 'A']);
  });

  test('else by all columns that can be ordered', async () => {
    expect(await order({ columns })).toEqual(['A?', 'B?', 'C?']);
  });
});
