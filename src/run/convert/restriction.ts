import type { RestrictedDataclass, Restriction } from '../../model/types.ts';
import { isNullLiteral } from '../../plan/condition/null-literal.ts';
import { planRestriction, type OnValue } from '../../plan/condition/restriction.ts';
import { convert } from './convert.ts';

/**
 * Looks whether a restriction of the model can be asked of any row.
 * @throws ProtocolError comparatorNotForType, or wrongType for a value that its attribute's type cannot hold
 */
export function checkRestriction(restriction: Restriction, dataclass: RestrictedDataclass): void {
  eachValue(restriction, dataclass, (literal, type, meets) => {
    if (literal.claim !== undefined) return;
    const items = typeof literal.value === 'string' ? [literal] : literal.value;
    for (const item of items) {
      if (!isNullLiteral(item.class, type)) convert(item, type, meets);
    }
  });
}

/**
 * Tells of each value of a restriction, and of each claim that stands in for one.
 * @throws ProtocolError comparatorNotForType
 */
export function eachValue(
  restriction: Restriction,
  dataclass: RestrictedDataclass,
  onValue: OnValue,
): void {
  planRestriction(
    restriction,
    dataclass,
    ({ column, columnType }) => ({
      kind: 'column',
      alias: 't',
      name: column.name,
      type: columnType,
      nullable: column.nullable,
    }),
    onValue,
  );
}
