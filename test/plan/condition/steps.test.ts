import { expect, test } from 'vitest';
import { compareExactly } from '../../../src/plan/condition/comparison.ts';
import { readType } from '../../../src/schema/sqlserver/types.ts';
import type { ColumnType } from '../../../src/schema/types.ts';
import type { Operand } from '../../../src/sql/ir/ir.ts';

function typeNamed(name: string, precision = 0, scale = 0): ColumnType {
  return readType({ name, bytes: 8, precision, scale, collation: null });
}

const same = ['<', '<=', '>', '>=', '=', '<>'].map((operator) => `${operator} as it is`);
const rounded = ['< up', '<= down', '> down', '>= up', '= down and >= up', '< up or > down'];

test.each([
  [typeNamed('decimal', 38, 0), rounded],
  [typeNamed('int'), same],
])('comparisons round to the side that keeps them true: $kind', (type, expected) => {
  const left: Operand = { kind: 'column', alias: 't', name: 'c', type, nullable: true };
  const written = (['<', '<=', '>', '>=', '=', '<>'] as const).map((operator) => {
    const rounds: string[] = [];
    const condition = compareExactly(left, operator, type, (round) => {
      rounds.push(round ?? 'as it is');
      return { kind: 'true' };
    });
    const items =
      condition.kind === 'and' || condition.kind === 'or' ? condition.items : [condition];
    const parts = items.map((item, index) =>
      item.kind === 'compare' ? `${item.operator} ${rounds[index] ?? ''}` : item.kind,
    );
    return parts.join(` ${condition.kind} `);
  });
  expect(written).toEqual(expected);
});
