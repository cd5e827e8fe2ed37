import type { ProtocolError } from '../../base/errors.ts';
import type { Dataclass, Relation } from '../../model/types.ts';
import type { JsonValue } from '../../protocol/body/json.ts';
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

/** How many shapes are kept for one dataclass; then all are made anew. */
const MOST_KEPT = 1000;

/** The shapes that follow a shape by one more slot. */
interface Following {
  readonly slot: Slot;
  withValue: Shape | null;
  withNull: Shape | null;
}

/** The slots of a shape, and whether null is given, by slot. */
interface Slots {
  readonly slots: readonly Slot[];
  readonly nulls: readonly boolean[];
}

/** The slot by which a shape goes on from another one. */
interface Added {
  readonly before: Shape;
  readonly slot: Slot;
  readonly isNull: boolean;
}

/**
 * What entities have in common that give values and nulls to the same slots in the same order. It is the same object for all of them, so that what is worked
 * out of a shape is worked out once.
 */
export class Shape {
  readonly dataclass: Dataclass;
  readonly #root: Shape;
  readonly #added: Added | null;
  #listed: Slots | null = null;
  #kept = 0;
  #following = new Map<Slot, Following>();
  /** The one that was asked for last. */
  #last: Following | null = null;

  private constructor(dataclass: Dataclass, added: Added | null) {
    this.dataclass = dataclass;
    this.#root = added === null ? this : added.before.#root;
    this.#added = added;
  }

  static readonly #roots = new WeakMap<Dataclass, Shape>();

  /** The shape of an entity that gives nothing. */
  static empty(dataclass: Dataclass): Shape {
    const known = Shape.#roots.get(dataclass);
    if (known !== undefined) return known;
    const made = new Shape(dataclass, null);
    Shape.#roots.set(dataclass, made);
    return made;
  }

  get slots(): readonly Slot[] {
    return (this.#listed ??= this.#list()).slots;
  }

  /** Whether null is given, by slot. */
  get nulls(): readonly boolean[] {
    return (this.#listed ??= this.#list()).nulls;
  }

  /** The shape with one more slot. */
  with(slot: Slot, isNull: boolean): Shape {
    const last = this.#last;
    const following = last !== null && last.slot === slot ? last : this.#followingBy(slot);
    const known = isNull ? following.withNull : following.withValue;
    if (known !== null) return known;
    const made = new Shape(this.dataclass, { before: this, slot, isNull });
    if (isNull) following.withNull = made;
    else following.withValue = made;
    this.#root.#count();
    return made;
  }

  /** Lists the slots; not those of the shapes on the way, which no entity may have. */
  #list(): Slots {
    const slots: Slot[] = [];
    const nulls: boolean[] = [];
    for (let added = this.#added; added !== null; added = added.before.#added) {
      slots.push(added.slot);
      nulls.push(added.isNull);
    }
    return { slots: slots.reverse(), nulls: nulls.reverse() };
  }

  #followingBy(slot: Slot): Following {
    let following = this.#following.get(slot);
    if (following === undefined) {
      following = { slot, withValue: null, withNull: null };
      this.#following.set(slot, following);
    }
    this.#last = following;
    return following;
  }

  #count(): void {
    this.#kept += 1;
    if (this.#kept <= MOST_KEPT) return;
    this.#kept = 0;
    this.#following = new Map();
    this.#last = null;
  }
}

/** Works something out of shapes, once of each. */
export function perShape<Made>(make: (shape: Shape) => Made): (shape: Shape) => Made {
  const all = new WeakMap<Shape, { readonly made: Made }>();
  return (shape) => {
    const known = all.get(shape);
    if (known !== undefined) return known.made;
    const made = make(shape);
    all.set(shape, { made });
    return made;
  };
}

/** What stands against a value. */
export interface Doubt {
  /** Why the column cannot hold the value; it is accepted only where it is the answer for the row. */
  readonly refusal?: ProtocolError;
  /** Where the value is a reference to no entity: the message. */
  readonly dangling?: string;
}

/** A value that is given. */
export interface Given {
  readonly value: StoredValue;
  /** The value of an attribute in the body; left out of others. */
  readonly sent?: JsonValue | undefined;
  readonly doubt?: Doubt | undefined;
}

/** The values that a body gives the columns of one entity. */
export class EntityValues {
  #shape: Shape;
  /** By slot. */
  readonly values: StoredValue[] = [];
  #sent: (JsonValue | undefined)[] | null = null;
  #doubts: Map<number, Doubt> | null = null;

  constructor(dataclass: Dataclass) {
    this.#shape = Shape.empty(dataclass);
  }

  get shape(): Shape {
    return this.#shape;
  }

  /** The value of an attribute in the body, to be compared with the answer for the row; undefined for other values. */
  sent(at: number): JsonValue | undefined {
    return this.#sent?.[at];
  }

  /** Why values cannot be taken as they are, by slot; null where all can. */
  get doubts(): ReadonlyMap<number, Doubt> | null {
    return this.#doubts;
  }

  add(slot: Slot, value: StoredValue, sent?: JsonValue, doubt?: Doubt): void {
    const at = this.values.length;
    if (doubt !== undefined) (this.#doubts ??= new Map()).set(at, doubt);
    this.#shape = this.#shape.with(slot, value === null);
    this.values.push(value);
    if (sent !== undefined) (this.#sent ??= [])[at] = sent;
  }

  /** Adds values behind these. */
  addAll(more: EntityValues): void {
    for (const [at, slot] of more.shape.slots.entries()) more.#copy(at, slot, this);
  }

  /** These values, and others behind them. */
  followedBy(more: EntityValues): EntityValues {
    const all = this.revised(() => undefined);
    all.addAll(more);
    return all;
  }

  /** These values, some of them revised; null takes one out, undefined leaves it as it is. */
  revised(revise: (slot: Slot, at: number) => Given | null | undefined): EntityValues {
    const { slots, dataclass } = this.#shape;
    const revised = new EntityValues(dataclass);
    for (const [at, slot] of slots.entries()) {
      const other = revise(slot, at);
      if (other === undefined) this.#copy(at, slot, revised);
      else if (other !== null) revised.add(slot, other.value, other.sent, other.doubt);
    }
    return revised;
  }

  #copy(at: number, slot: Slot, to: EntityValues): void {
    to.add(slot, this.values[at] ?? null, this.sent(at), this.#doubts?.get(at));
  }

  /** The first value for a column; undefined where there is none. */
  of(column: string): StoredValue | undefined {
    return this.values[this.#shape.slots.findIndex(({ column: { name } }) => name === column)];
  }
}
