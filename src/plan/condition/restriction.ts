import type {
  FilterRestriction,
  RestrictedDataclass,
  Restriction,
  StorageAttribute,
} from '../../model/types.ts';
import type { ColumnRef, Condition, ValueSource } from '../../sql/ir/ir.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { ColumnType } from '../../schema/types.ts';
import {
  comparedAs,
  type ComparisonContext,
  isNullLiteral,
  joinConditions,
  leafCondition,
  leafOf,
} from './comparison.ts';

/** Is called for each value of a restriction, with the type it is compared as and the attribute. */
export type OnValue = (value: Literal, type: ColumnType, meets: string) => void;

/** Plans a restriction as a condition over one table of a dataclass. @throws ProtocolError comparatorNotForType, only while the model is built */
export function planRestriction(
  restriction: Restriction,
  dataclass: RestrictedDataclass,
  column: (attribute: StorageAttribute) => ColumnRef,
  onValue?: OnValue,
): Condition {
  switch (restriction.kind) {
    case 'filter':
      return planFilterRestriction(restriction, dataclass, column, onValue);
    case 'all':
    case 'any': {
      const items = restriction.items.map((item) =>
        planRestriction(item, dataclass, column, onValue),
      );
      return { kind: restriction.kind === 'all' ? 'and' : 'or', items };
    }
  }
}

function planFilterRestriction(
  { filter, values, nullsMatchNotEqual, within }: FilterRestriction,
  { name, stored }: RestrictedDataclass,
  column: (attribute: StorageAttribute) => ColumnRef,
  onValue?: OnValue,
): Condition {
  const context: ComparisonContext = {
    nullsMatchNotEqual,
    source: (parameter, type, meets) => {
      const literal = values[parameter];
      if (literal === undefined)
        throw new Error(`the restriction of ${name} has no value ${parameter}`);
      onValue?.(literal, type, meets);
      return sourceOf(literal, type);
    },
  };
  return joinConditions(filter, (node) => {
    const { names, position } = node.path;
    const [first = '', ...properties] = names;
    const attribute = stored.get(first);
    if (attribute === undefined) throw new Error(`the restriction of ${name} names no ${first}`);
    const leaf = leafOf({
      dataclass: name,
      attribute,
      column: column(attribute),
      properties,
      as: comparedAs(node),
      at: { within, position },
    });
    return leafCondition(leaf, node, context);
  });
}

/** A value of the mapping file, or the claim that stands in for one. The plan handles the nulls of a list. */
function sourceOf({ value, claim }: Literal, type: ColumnType): ValueSource {
  if (claim !== undefined) return { from: 'claim', name: claim };
  if (typeof value === 'string') return { from: 'model', value };
  const items = value.flatMap((item) =>
    isNullLiteral(item.class, type) || typeof item.value !== 'string' ? [] : [item.value],
  );
  return { from: 'model', value: items };
}
