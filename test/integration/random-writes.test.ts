import { expect, test } from 'vitest';
import { allEnded, ended, type Entity, onEveryTarget, post, serving } from './writing.ts';
import type { Gateway } from '../targets/gateway.ts';
import { seed } from '../property/seed.ts';
import fc, { type Arbitrary } from 'fast-check';

/** What one object of a body says: undefined where it says nothing. */
interface Line {
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
type SentStamp = 'right' | 'wrong' | 'none';

type Element =
  | { readonly kind: 'create'; readonly line: Line }
  | { readonly kind: 'update'; readonly line: Line; readonly stamp: SentStamp }
  | { readonly kind: 'delete'; readonly line: Line; readonly stamp: SentStamp };

/** One request: saves or deletes, of one object or of an array. */
interface Write {
  readonly elements: readonly Element[];
  readonly atomic: boolean;
}

/** A row as it is to be. */
interface Held {
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
const FIRST_LINE = 1001;
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
const write: Arbitrary<Write> = fc.record({
  elements: fc.oneof(
    { arbitrary: saves, weight: 4 },
    { arbitrary: fc.array(remove, { minLength: 1, maxLength: 6 }), weight: 1 },
  ),
  atomic: fc.boolean(),
});

function idOf({ order, line }: Pick<Line, 'order' | 'line'>): string {
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
class Lines {
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

/** An element of a body as it is sent. */
function objectOf(element: Element, stamp: number | undefined): Entity {
  const { order, line, newLine, ...fields } = element.line;
  const __KEY = idOf({ order, line });
  switch (element.kind) {
    case 'create':
      return { orderNo: order, line, ...fields };
    case 'update':
      return { __KEY, __STAMP: stamp, line: newLine, ...fields };
    case 'delete':
      return { __KEY, __STAMP: stamp };
  }
}

/** Which elements were done, as the answer says it. */
async function send(
  gateway: Gateway,
  { elements, atomic }: Write,
  model: Lines,
): Promise<boolean[]> {
  const isDelete = elements[0]?.kind === 'delete';
  const objects = elements.map((element) => objectOf(element, model.stampOf(element)));
  const parameters = [...(isDelete ? ['$method=delete'] : []), ...(atomic ? ['$atomic=true'] : [])];
  const isOne = objects.length === 1 && !isDelete && !atomic;
  const answer = await post(
    gateway,
    `/rest/OrderLine?${parameters.join('&')}`,
    isOne ? objects[0] : objects,
  );
  const all = isOne ? [ended(answer)] : allEnded(answer);
  if (all.length === 0) {
    const { success, codes } = ended(answer);
    expect({ success, isError: answer.status >= 400, isCoded: codes.length > 0 }).toEqual({
      success: false,
      isError: true,
      isCoded: true,
    });
    return elements.map(() => false);
  }
  // Who is not told of a success is told why.
  expect(all.map(({ success, codes }) => success === (codes.length === 0))).toEqual(
    elements.map(() => true),
  );
  return all.map(({ success }) => success);
}

/** The rows as the gateway tells them, in the order of their keys. */
async function readRows(gateway: Gateway): Promise<Held[]> {
  const { body } = await gateway.get(
    `/rest/OrderLine?$filter="line >= ${FIRST_LINE}"&$orderby=orderNo,line`,
  );
  return (body as { __ENTITIES: readonly Entity[] }).__ENTITIES.map((entity) => ({
    order: entity['orderNo'] as number,
    line: entity['line'] as number,
    quantity: entity['quantity'] as number,
    unitPrice: Number(entity['unitPrice']),
    remark: entity['remark'] as string | null,
    product: Number((entity['product'] as { __deferred: { __KEY: string } }).__deferred.__KEY),
    stamp: entity['__STAMP'] as number,
  }));
}

await onEveryTarget('random writes', (target) => {
  const { gateway } = serving(target);

  const numRuns = Number(process.env['WRITE_RUNS'] ?? (target.name === 'SQL Server' ? 5 : 40));

  test(
    'leave the table as a model of it, and say of each what came of it',
    { timeout: 180_000 + numRuns * 2000 },
    async () => {
      const writes = fc.array(write, { minLength: 1, maxLength: 10 });
      await fc.assert(
        fc.asyncProperty(writes, async (sequence) => {
          const cleared = await gateway.get(
            `/rest/OrderLine?$filter="line >= ${FIRST_LINE}"&$method=delete`,
            { method: 'POST' },
          );
          expect(cleared.body).toMatchObject({ ok: true });
          const model = new Lines();
          for (const request of sequence) {
            const told = await send(gateway, request, model);
            expect(told).toEqual(model.write(request));
            const expected = [...model.rows.values()].sort(
              (a, b) => a.order - b.order || a.line - b.line,
            );
            expect(await readRows(gateway)).toEqual(expected);
          }
        }),
        { seed, numRuns },
      );
    },
  );
});
