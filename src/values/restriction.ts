import type { RestrictedDataclass } from '../model/types.ts';
import { isNullLiteral } from '../plan/null-literal.ts';
import { planRestriction } from '../plan/restriction.ts';
import { convert } from './convert.ts';

/**
 * Looks whether a restriction of the model can be asked of any row.
 * @throws ProtocolError comparatorNotForType, or wrongType for a value that its attribute's type cannot hold
 */
export function checkRestriction(dataclass: RestrictedDataclass): void {
  planRestriction(
    dataclass,
    ({ column, columnType }) => ({
      kind: 'column',
      alias: 't',
      name: column.name,
      type: columnType,
      nullable: column.nullable,
    }),
    (literal, type, meets) => {
      const items = typeof literal.value === 'string' ? [literal] : literal.value;
      for (const item of items) {
        if (!isNullLiteral(item.class, type)) convert(item, type, meets);
      }
    },
  );
}
