import type { RestrictedDataclass, StorageAttribute } from '../model/types.ts';
import type { ColumnRef, Condition, ValueSource } from '../query/ir.ts';
import type { Literal } from '../request/ast.ts';
import type { ColumnType } from '../schema/types.ts';
import {
  comparedAs,
  joinConditions,
  leafCondition,
  leafOf,
  type ComparisonContext,
} from './comparison.ts';
import { isNullLiteral } from './null-literal.ts';

/** How messages name the place of a restriction's text. */
const WITHIN = 'where';

/**
 * What rows of a dataclass have to meet, as a condition over one of its tables.
 * @param column the attribute's column of that table
 * @param onValue hears of each value, of the type that it is compared as, and of what it meets
 * @throws ProtocolError comparatorNotForType: when the model is built, and not later
 */
export function planRestriction(
  { name, where }: RestrictedDataclass,
  column: (attribute: StorageAttribute) => ColumnRef,
  onValue?: (value: Literal, type: ColumnType, meets: string) => void,
): Condition | null {
  if (where === null) return null;
  const { filter, values, attributes, nullsMatchNotEqual } = where;
  const context: ComparisonContext = {
    nullsMatchNotEqual,
    source: (slot, type, meets) => {
      const literal = values[slot];
      if (literal === undefined) throw new Error(`the restriction of ${name} has no value ${slot}`);
      onValue?.(literal, type, meets);
      return fixedValue(literal, type);
    },
  };
  return joinConditions(filter, (node) => {
    const { names, position } = node.path;
    const [first = '', ...properties] = names;
    const attribute = attributes.get(first);
    if (attribute === undefined) throw new Error(`the restriction of ${name} names no ${first}`);
    const at = { within: WITHIN, position };
    const leaf = leafOf({
      dataclass: name,
      attribute,
      column: column(attribute),
      properties,
      as: comparedAs(node),
      at,
    });
    return leafCondition(leaf, node, context);
  });
}

/** A value of the model's, without the nulls of a list: those are told from the plan. */
function fixedValue({ value }: Literal, type: ColumnType): ValueSource {
  if (typeof value === 'string') return { from: 'model', value };
  const items = value.flatMap((item) =>
    isNullLiteral(item.class, type) || typeof item.value !== 'string' ? [] : [item.value],
  );
  return { from: 'model', value: items };
}
