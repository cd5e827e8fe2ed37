import type { ProtocolError } from '../../base/errors.ts';
import type { Relation } from '../../model/types.ts';
import type { JsonValue } from '../../protocol/body/json-value.ts';
import type { Column, ColumnType } from '../../schema/types.ts';
import type { StoredValue } from './stored-value.ts';

/** A column that bodies give values through one attribute or relation, and what holds for all of them. */
export interface Slot {
  readonly column: Column;
  /** The column's type as the API uses it. */
  readonly type: ColumnType;
  /** The attribute or relation, for messages: `Employee.grade`. */
  readonly member: string;
  /** Where the entity's owner gives the value: the relation back to the owner, for messages. */
  readonly own?: string | undefined;
  /** Whether the entity's owner gives the value: then no other value is accepted. */
  readonly filled?: true;
  /** Why only the value that the column already holds is accepted, to be said behind "is read-only: "; null where others are. */
  readonly readOnly: string | null;
  /** Where a related entity gives the value: its relation. */
  readonly leading?: Relation;
  /** Where null is given for a relation: that relation, which also reads as null where it refers to no entity. */
  readonly clearing?: Relation;
}

/** A value that a body gives a column. There are many: what does not depend on the value is in its slot, which all of them share. */
export class GivenValue {
  readonly slot: Slot;
  readonly value: StoredValue;
  /** The value of an attribute in the body, to be compared with the answer for the row. */
  readonly bodyValue: JsonValue | undefined;
  /** Why the column cannot hold the value; it is accepted only where it is the answer for the row. */
  readonly refusal: ProtocolError | undefined;
  /** Where the value is a reference to no entity: the message. */
  readonly dangling: string | undefined;

  constructor(
    slot: Slot,
    value: StoredValue,
    bodyValue?: JsonValue,
    refusal?: ProtocolError,
    dangling?: string,
  ) {
    this.slot = slot;
    this.value = value;
    this.bodyValue = bodyValue;
    this.refusal = refusal;
    this.dangling = dangling;
  }

  /** The same value, known to be a reference to no entity. */
  leadingNowhere(dangling: string): GivenValue {
    return new GivenValue(this.slot, this.value, this.bodyValue, undefined, dangling);
  }

  get column(): Column {
    return this.slot.column;
  }

  get type(): ColumnType {
    return this.slot.type;
  }
}

/**
 * Makes plans by the form of what entities give, one for entities of the same form that follow each other. @param plan is null, and made again, where it
 * depends on more than the form
 */
export function planningByForm<Plan extends object>(
  plan: (given: readonly GivenValue[]) => Plan | null,
): (given: readonly GivenValue[]) => Plan | null {
  let last: { readonly given: readonly GivenValue[]; readonly plan: Plan } | null = null;
  return (given) => {
    if (last !== null && haveSameForm(given, last.given)) return last.plan;
    const made = plan(given);
    last = made === null ? null : { given, plan: made };
    return made;
  };
}

/** The values at some indexes. */
export function valuesAt(
  given: readonly GivenValue[],
  indexes: readonly number[],
): readonly GivenValue[] {
  return indexes.map((at) => given[at]).filter((value) => value !== undefined);
}

/** Whether values are for the same slots as others in the same order, null where those are, and nothing stands against them. */
function haveSameForm(given: readonly GivenValue[], others: readonly GivenValue[]): boolean {
  return (
    given.length === others.length &&
    given.every(({ slot, value, refusal, dangling }, at) => {
      const other = others[at];
      const isNull = other?.value === null;
      const isSame = slot === other?.slot && (value === null) === isNull;
      return isSame && (refusal ?? dangling) === undefined;
    })
  );
}
