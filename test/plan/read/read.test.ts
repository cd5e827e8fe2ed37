import { describe, expect, test } from 'vitest';
import { findDataclass } from '../../../src/model/lookup.ts';
import { Aliases, Scope } from '../../../src/plan/condition/scope.ts';
import { keyOrder } from '../../../src/plan/read/projection.ts';
import { model, table, type TableSketch } from '../../model/physical.ts';

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
