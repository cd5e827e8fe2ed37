import type { Restriction } from '../../model/types.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { Condition, ValueSource } from '../../sql/ir/ir.ts';
import { isNullLiteral } from './comparison.ts';
import { type Place, planNode } from './filter.ts';

/** Is called for each value of a restriction, with the type it is compared as and the attribute. */
export type OnValue = (value: Literal, type: ColumnType, meets: string) => void;

/** How a restriction is planned. */
interface RestrictionOptions {
  /** As that of a filter: not joined, it can stand anywhere. */
  readonly isJoined?: boolean;
  readonly onValue?: OnValue;
}

/**
 * Plans a restriction as a condition over a table. A path over relations means what it does in a `$filter`.
 * @throws ProtocolError comparatorNotForType, only while the model is built
 */
export function planRestriction(
  restriction: Restriction,
  place: Place,
  options: RestrictionOptions = {},
): Condition {
  switch (restriction.kind) {
    case 'filter': {
      const { filter, ways, values, nullsMatchNotEqual, within } = restriction;
      return planNode(filter, place, {
        within,
        wayOf: (path) => {
          const way = ways.get(path);
          if (way === undefined) throw new Error(`${path.names.join('.')} leads nowhere`);
          return way;
        },
        isJoined: options.isJoined === true,
        isClaim: (leaf) =>
          leaf.kind === 'comparison' && values[leaf.value.parameter]?.claim !== undefined,
        nullsMatchNotEqual,
        source: (parameter, type, meets) => {
          const literal = values[parameter];
          if (literal === undefined) throw new Error(`the restriction has no value ${parameter}`);
          options.onValue?.(literal, type, meets);
          return sourceOf(literal, type);
        },
      });
    }
    case 'all': {
      // What the filter of a role computes is computed for entities alone, and not for rows that the mapping file leaves out.
      let behind = place;
      const items = restriction.items.map((item) => {
        const condition = planRestriction(item, behind, options);
        behind = behind.behind(item);
        return condition;
      });
      return { kind: 'and', items };
    }
    case 'any': {
      const items = restriction.items.map((item) => planRestriction(item, place, options));
      return { kind: 'or', items };
    }
  }
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
