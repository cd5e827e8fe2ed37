import type { ComparisonOperator, Condition, Operand, Parameter } from '../../sql/ir/ir.ts';
import { isStepped, type ColumnType } from '../../schema/types.ts';

/**
 * Comparisons with types whose steps an engine cannot look between: SQL Server's datetime has no 0.001 s and would take it
 * for 0, a value with more decimals than its column's would convert the column and miss its index, and beside a decimal of
 * 38 digits there is no room for one more. A value between two steps is rounded to the one that keeps the comparison true to
 * what was asked.
 */

type Rounding = NonNullable<Parameter['round']>;

/**
 * A comparison of an operand with a value of a request.
 * @param parameter makes the value's parameter, rounded as it says
 */
export function compareExactly(
  left: Operand,
  operator: ComparisonOperator,
  type: ColumnType,
  parameter: (round?: Rounding) => Operand,
): Condition {
  if (!isStepped(type)) return { kind: 'compare', operator, left, right: parameter() };
  const compare = (rounded: ComparisonOperator, round: Rounding): Condition => ({
    kind: 'compare',
    operator: rounded,
    left,
    right: parameter(round),
  });
  switch (operator) {
    case '<':
    case '>=':
      return compare(operator, 'up');
    case '<=':
    case '>':
      return compare(operator, 'down');
    case '=':
      // The first alone finds the rows by an index; the second is false where the value is between two steps.
      return { kind: 'and', items: [compare('=', 'down'), compare('>=', 'up')] };
    case '<>':
      return { kind: 'or', items: [compare('<', 'up'), compare('>', 'down')] };
  }
}
