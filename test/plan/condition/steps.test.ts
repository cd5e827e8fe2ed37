import { describe, expect, test } from 'vitest';
import { compareExactly } from '../../../src/plan/condition/comparison.ts';
import type { Operand } from '../../../src/sql/ir/ir.ts';
import type { ColumnType } from '../../../src/schema/types.ts';
import { readType } from '../../../src/schema/sqlserver/types.ts';

function typeNamed(name: string, precision = 0, scale = 0): ColumnType {
  return readType({ name, bytes: 8, precision, scale, collation: null });
}

const whole = typeNamed('decimal', 38, 0);

describe('comparisons', () => {
  const left: Operand = { kind: 'column', alias: 't', name: 'c', type: whole, nullable: true };

  /** A comparison as text, with `down` and `up` for its parameters. */
  function written(operator: '=' | '<>' | '<' | '<=' | '>' | '>=', type: ColumnType): string {
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
  }

  test('round to the side that keeps them true', () => {
    expect(
      (['<', '<=', '>', '>=', '=', '<>'] as const).map((each) => written(each, whole)),
    ).toEqual(['< up', '<= down', '> down', '>= up', '= down and >= up', '< up or > down']);
  });

  test('take the value as it is where nothing is rounded', () => {
    expect(written('=', typeNamed('int'))).toBe('= as it is');
  });
});
