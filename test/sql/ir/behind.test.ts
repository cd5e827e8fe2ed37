import { describe, expect, test } from 'vitest';
import { indexedOrder, partsBehind, type IndexedOrder } from '../../../src/sql/ir/index-use.ts';
import type { ColumnRef, Condition, OrderTerm } from '../../../src/sql/ir/ir.ts';
import type { Table } from '../../../src/schema/types.ts';
import { chance } from '../../fixtures/legacy/random.ts';
import { table, types } from '../../model/physical.ts';
import { seed } from '../../property/seed.ts';

const from = { schema: 'S', name: 'T', alias: 't0' };

function column(name: string, nullable = false, type: keyof typeof types = 'int'): ColumnRef {
  return { kind: 'column', alias: 't0', name, type: types[type], nullable };
}

function term(operand: OrderTerm['operand'], descending = false): OrderTerm {
  return { operand, descending };
}

const columns = { A: 'int?', B: 'text', C: 'int' } as const;
const index = (...names: readonly string[]) => ({ name: 'I', columns: names, unique: true });

describe('the order of rows is that of an index', () => {
  const keyed = table('T', { columns, primaryKey: ['C'], indexes: [index('A', 'B', 'C', 'D')] });
  const a = column('A', true);
  const [b, c] = [column('B'), column('C')];

  test.each<[string, Table, readonly OrderTerm[], readonly string[] | null]>([
    ['the primary key', keyed, [term(c)], ['C']],
    ['downwards', keyed, [term(c, true)], ['C']],
    ['an index that goes on', keyed, [term(a), term(b), term(c)], ['A', 'B', 'C']],
    ['two directions', keyed, [term(a, true), term(b), term(c)], null],
    ['no index begins so', keyed, [term(b), term(c)], null],
    [
      'an index of some rows',
      { ...keyed, indexes: [{ ...index('B', 'C'), unique: false }] },
      [term(b), term(c)],
      null,
    ],
    ['rows may share a place', keyed, [term(a), term(b)], null],
    ['no key', { ...keyed, primaryKey: [] }, [term(a), term(b), term(c)], null],
    ['a view', { ...keyed, kind: 'view' }, [term(c)], null],
    ['of another table', keyed, [term({ ...c, alias: 't1' })], null],
    ['computed', keyed, [term({ ...c, expression: [{ column: 'C' }] })], null],
    ['times lose digits', keyed, [term(column('C', false, 'timestamp'))], null],
    ['NaN is found as null', keyed, [term({ ...c, type: types.decimal, nullable: true })], null],
    ['decimals', keyed, [term({ ...c, type: types.decimal })], ['C']],
    ['no order', keyed, [], null],
  ])('%s', (_, of, orderBy, expected) => {
    const order = indexedOrder({ from, orderBy }, of, true);
    expect(order?.columns.map(({ name }) => name) ?? null).toEqual(expected);
    expect(order?.descending ?? false).toBe(orderBy[0]?.descending === true && expected !== null);
  });

  test('of a property of JSON it is not', () => {
    const json = { kind: 'jsonProperty', column: c, path: ['x'], as: 'text' } as const;
    expect(indexedOrder({ from, orderBy: [term(json), term(c)] }, keyed, true)).toBeNull();
  });

  test('where nulls are last in indexes, it is of columns without nulls', () => {
    expect(indexedOrder({ from, orderBy: [term(a), term(b), term(c)] }, keyed, false)).toBeNull();
    expect(indexedOrder({ from, orderBy: [term(c)] }, keyed, false)?.columns).toEqual([c]);
  });
});

type Value = number | null;

/** Whether a row of columns `0`, `1`, … meets a condition. */
function meets(row: readonly Value[], last: readonly Value[], condition: Condition): boolean {
  if (condition.kind === 'and') return condition.items.every((item) => meets(row, last, item));
  if (condition.kind === 'isNull' && condition.operand.kind === 'column') {
    return (row[Number(condition.operand.name)] === null) !== condition.negated;
  }
  if (condition.kind === 'compare' && condition.left.kind === 'column') {
    const { left, right, operator } = condition;
    const isLast = right.kind === 'parameter' && right.source.from === 'lastRow';
    const one = row[Number(left.name)] ?? null;
    const other = isLast ? (last[right.source.term] ?? null) : null;
    if (one === null || other === null) return false;
    return operator === '=' ? one === other : operator === '<' ? one < other : one > other;
  }
  throw new Error(`a condition of another kind: ${JSON.stringify(condition)}`);
}

/** Nulls come first. */
function compare(one: readonly Value[], other: readonly Value[]): number {
  const at = one.findIndex((value, place) => value !== other[place]);
  return at < 0 ? 0 : (one[at] ?? -Infinity) - (other[at] ?? -Infinity) > 0 ? 1 : -1;
}

describe.each([false, true])('what is behind a row, descending: %s', (descending) => {
  test.each([1, 2, 3])('by %s columns, is found in the order of the rows', (width) => {
    const random = chance(seed + width);
    const order: IndexedOrder = {
      columns: Array.from({ length: width }, (_, name) => column(String(name), name !== 1)),
      descending,
    };
    const rows = Array.from({ length: 300 }, () =>
      order.columns.map(({ nullable }): Value => {
        const value = random.int(0, 4);
        return nullable && value === 0 ? null : value;
      }),
    );
    const sorted = rows.toSorted((one, other) => compare(one, other) * (descending ? -1 : 1));
    for (const last of sorted) {
      const isNull = last.map((value) => value === null);
      const found = partsBehind(order, isNull).flatMap((part) =>
        sorted.filter((row) => meets(row, last, part)),
      );
      expect([last, found]).toEqual([
        last,
        sorted.slice(sorted.findLastIndex((row) => compare(row, last) === 0) + 1),
      ]);
    }
  });
});
