import fc, { type Arbitrary } from 'fast-check';

/** What one object of a body says: undefined where it says nothing. */
export interface Line {
  readonly order: number;
  readonly line: number;
  readonly quantity?: number | undefined;
  readonly unitPrice?: number | null | undefined;
  readonly remark?: string | null | undefined;
  readonly product?: number | undefined;
  /** Filled in by the database: any value but its own is refused. */
  readonly amount?: number | undefined;
  /** Part of the key, which does not change. */
  readonly newLine?: number | undefined;
}

/** Which stamp an element is sent with, of an entity that is there. */
export type SentStamp = 'right' | 'wrong' | 'none';

export type Element =
  | { readonly kind: 'create'; readonly line: Line }
  | { readonly kind: 'update'; readonly line: Line; readonly stamp: SentStamp }
  | { readonly kind: 'delete'; readonly line: Line; readonly stamp: SentStamp };

/** One request: saves or deletes, of one object or of an array. */
export interface Write {
  readonly elements: readonly Element[];
  readonly atomic: boolean;
}

/** A row as it is to be. */
export interface Held {
  readonly order: number;
  readonly line: number;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly remark: string | null;
  readonly product: number;
  readonly stamp: number;
}

/** Orders and products with these numbers are there; 99999 is not. */
const there = [1, 2];
const orders = fc.constantFrom(1, 1, 2, 2, 99_999);
/** Behind all lines that the sample has. */
export const FIRST_LINE = 1001;
const lines = fc.integer({ min: FIRST_LINE, max: FIRST_LINE + 2 });

const given = {
  quantity: fc.option(fc.constantFrom(1, 2, 3, 4, 0), { nil: undefined }),
  remark: fc.option(fc.constantFrom('', 'x', "it's", 'b', null), { nil: undefined }),
};

const create: Arbitrary<Element> = fc
  .record({
    order: orders,
    line: lines,
    ...given,
    unitPrice: fc.constantFrom(10.5, 3, 7, 8, null, undefined),
    product: fc.constantFrom(1, 2, 1, 2, 1, 99_999),
  })
  .map((line) => ({ kind: 'create', line }));

const stamps = fc.constantFrom<SentStamp>('right', 'right', 'right', 'wrong', 'none');

const update: Arbitrary<Element> = fc
  .record({
    order: orders,
    line: lines,
    ...given,
    unitPrice: fc.constantFrom(10.5, 3, undefined, undefined, undefined, null),
    product: fc.constantFrom(1, 2, undefined, undefined, undefined, 99_999),
    amount: fc.constantFrom(...Array<undefined>(9).fill(undefined), 123_456),
    newLine: fc.constantFrom(...Array<undefined>(9).fill(undefined), 7),
  })
  .chain((line) => stamps.map((stamp): Element => ({ kind: 'update', line, stamp })));

const remove: Arbitrary<Element> = fc
  .record({ order: orders, line: lines })
  .chain((line) => stamps.map((stamp): Element => ({ kind: 'delete', line, stamp })));

const saves = fc
  .array(fc.oneof({ arbitrary: create, weight: 3 }, { arbitrary: update, weight: 4 }), {
    minLength: 1,
    maxLength: 6,
  })
  .map(withoutOwnCreations);

/** Random writes, valid ones and others. */
export const write: Arbitrary<Write> = fc.record({
  elements: fc.oneof(
    { arbitrary: saves, weight: 4 },
    { arbitrary: fc.array(remove, { minLength: 1, maxLength: 6 }), weight: 1 },
  ),
  atomic: fc.boolean(),
});

export function idOf({ order, line }: Pick<Line, 'order' | 'line'>): string {
  return `${order};${line}`;
}

/** What a body itself creates it does not name as something that is there: nobody could know the stamp. */
function withoutOwnCreations(elements: readonly Element[]): Element[] {
  const created = new Set(
    elements.filter(({ kind }) => kind === 'create').map(({ line }) => idOf(line)),
  );
  return elements.filter(({ kind, line }) => kind === 'create' || !created.has(idOf(line)));
}

/** The table as it is to be, in memory. */
export class Lines {
  rows = new Map<string, Held>();

  /** The stamp that an element is sent with; undefined for none. */
  stampOf(element: Element): number | undefined {
    if (element.kind === 'create' || element.stamp === 'none') return undefined;
    const held = this.rows.get(idOf(element.line))?.stamp ?? 1;
    return element.stamp === 'right' ? held : held + 1000;
  }

  /** Does a write. @returns for each element whether it was done; atomic ones all alike */
  write({ elements, atomic }: Write): boolean[] {
    // The client sends the stamps that it read before its request.
    const sent = elements.map((element) => ({ element, stamp: this.stampOf(element) }));
    const before = new Map(this.rows);
    const done = sent.map(({ element, stamp }) => this.#apply(element, stamp, atomic));
    if (!atomic || done.every(Boolean)) return done;
    this.rows = before;
    return done.map(() => false);
  }

  #apply({ kind, line }: Element, stamp: number | undefined, atomic: boolean): boolean {
    const id = idOf(line);
    const held = this.rows.get(id);
    if (kind === 'create') return held === undefined && this.#create(line);
    if (held === undefined || (stamp !== undefined && stamp !== held.stamp)) return false;
    if (kind === 'delete') return this.rows.delete(id);
    return (stamp !== undefined || atomic) && this.#update(line, held);
  }

  #create({ order, line, quantity = 1, unitPrice, remark = null, product = 0 }: Line): boolean {
    const isWhole = unitPrice !== undefined && unitPrice !== null;
    if (!isWhole || quantity < 1 || !there.includes(order) || !there.includes(product))
      return false;
    this.rows.set(idOf({ order, line }), {
      ...{ order, line, quantity, unitPrice, remark, product },
      stamp: 1,
    });
    return true;
  }

  #update(line: Line, held: Held): boolean {
    const { quantity = held.quantity, unitPrice = held.unitPrice, product = held.product } = line;
    if (quantity < 1 || unitPrice === null || !there.includes(product)) return false;
    if (line.amount !== undefined || line.newLine !== undefined) return false;
    const { remark = held.remark } = line;
    const next = { ...held, quantity, unitPrice, product, remark };
    const isSame = JSON.stringify(next) === JSON.stringify(held);
    this.rows.set(idOf(held), isSame ? held : { ...next, stamp: held.stamp + 1 });
    return true;
  }
}
