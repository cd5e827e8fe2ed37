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

test.each([false, true])('!= with nullsMatchNotEqual: %s', (nullsMatchNotEqual) => {
  const operand = expect.objectContaining({ kind: 'column', name: 'GRADE_CD' }) as unknown;
  const right = { kind: 'parameter', use: 'value', meets: 'Employee.grade' };
  const unequal = {
    ...{ kind: 'compare', operator: '<>', left: operand },
    right: expect.objectContaining(right) as unknown,
  };
  const orNull = { kind: 'or', items: [unequal, { kind: 'isNull', negated: false, operand }] };
  const found = plan('/rest/Employee?$filter=grade!=1', nullsMatchNotEqual).fetch;
  expect(queryOf(found, 'select').where).toEqual({
    ...{ kind: 'and', items: [nullsMatchNotEqual ? orNull : unequal] },
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
