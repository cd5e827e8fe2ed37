/** Random filters over a dataclass, and the text that a client would write for them. */
import fc, { type Arbitrary } from 'fast-check';
import { relationTarget } from '../../conformance/oracle.ts';
import { quotedValue, type Tree, type Value } from '../../property/filter-text.ts';
import { cellOf, leavesOf, relationsOf, rowsOf, type Cell, type Kind } from './entities.ts';
import { isText, type Comparator, type Filter } from './evaluate.ts';

const LISTS: readonly Comparator[] = ['in', 'in', 'in'];
const ORDERED: readonly Comparator[] = ['=', '!=', '===', '!==', '<', '<=', '>', '>=', ...LISTS];
const TEXT: readonly Comparator[] = [
  ...ORDERED,
  '=',
  '!=',
  'begin',
  'begin',
  'contains',
  'contains',
];
const BOOLEAN: readonly Comparator[] = ['=', '!=', '===', '!==', 'in'];

/** The comparators that values of a kind are compared by, some of them several times: they are drawn as often. */
export function comparatorsOf(kind: Kind): readonly Comparator[] {
  return isText(kind) ? TEXT : kind === 'boolean' ? BOOLEAN : ORDERED;
}

/** Values that a column holds, so that comparisons are met about as often as missed, and some that none does. */
function valuesOf(cells: readonly Cell[], kind: Kind): Arbitrary<string> {
  const held = [...new Set(cells.filter((cell) => cell !== null).map(String))];
  const others: Readonly<Record<Kind, readonly string[]>> = {
    integer: ['0', '-1', '7', '100'],
    decimal: ['0', '-0.5', '2.5', '999', '100.125'],
    double: ['0', '45.5', '-33.25'],
    real: ['0', '0.1', '10.5'],
    padded: ['', 'a', '%', '@', 'no such text'],
    text: ['', 'a', 'M', '%', '_', '@', 'null', 'no such text'],
    boolean: ['true', 'false'],
    date: ['1980-02-29', '2024-01-01'],
    time: ['08:30:00.000', '12:00'],
    instant: ['2023-01-01T00:00:00.000Z', '2024-02-29T12:00:00.000Z'],
  };
  const known = fc.constantFrom(...held, ...others[kind]);
  if (!isText(kind)) return known;
  const part = fc.tuple(known.map(Array.from<string>), fc.nat({ max: 12 }), fc.nat({ max: 6 }));
  return fc.oneof(
    known,
    ...(kind === 'padded' ? [known.map((text) => `${text}  `)] : []),
    known.map((text) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase())),
    part.map(([whole, from, length]) => whole.slice(from, from + length + 1).join('')),
    part.map(([whole, from, length]) =>
      [...whole.slice(0, from), '@', ...whole.slice(from + length)].join(''),
    ),
    part.map(([whole, from]) => `${whole.slice(0, from).join('')}*`),
  );
}

/** Values that no column of a kind has room for, or that stand between two of its values. */
const strangers: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  integer: ['70000', '-70000', '1.5', '-0.25', '100000000000000000000'],
  decimal: ['12345678901234567890', '-12345678901234567890', '0.00001'],
  double: ['1e309', '-1e309'],
  real: ['1e39', '-1e39'],
  date: ['2024-01-01T12:00:00.000Z'],
};

/** Lists of values, half of them of strangers alone. */
function listsOf(values: Arbitrary<string>, kind: Kind): Arbitrary<readonly (string | null)[]> {
  const any = fc.array(fc.option(values, { freq: 8 }), { maxLength: 5 });
  const { [kind]: strange } = strangers;
  if (strange === undefined) return any;
  return fc.oneof(any, fc.array(fc.constantFrom(...strange), { minLength: 1, maxLength: 3 }));
}

interface Leaf {
  readonly relations: readonly string[];
  readonly leaf: string;
  readonly kind: Kind;
  readonly comparator: Comparator;
  readonly value: string | null | readonly (string | null)[];
}

const leavesByClass = new Map<string, Arbitrary<Leaf>>();

/** Comparisons of the attributes and properties of a dataclass, and of those that up to `hops` relations lead to. */
function leaves(dataclass: string, hops: number): Arbitrary<Leaf> {
  const id = `${dataclass} ${hops}`;
  const known = leavesByClass.get(id);
  if (known !== undefined) return known;
  const own = leavesOf(dataclass).map(({ name, kind }) =>
    comparison(
      name,
      kind,
      rowsOf(dataclass).map((row) => cellOf(name, dataclass, row)),
    ),
  );
  const relations = hops === 0 ? [] : relationsOf(dataclass);
  const related = relations.map((name) =>
    leaves(relationTarget(dataclass, name), hops - 1).map((leaf) => ({
      ...leaf,
      relations: [name, ...leaf.relations],
    })),
  );
  const all =
    related.length === 0
      ? fc.oneof(...own)
      : fc.oneof(
          { weight: 3, arbitrary: fc.oneof(...own) },
          { weight: 4, arbitrary: fc.oneof(...related) },
        );
  leavesByClass.set(id, all);
  return all;
}

function comparison(leaf: string, kind: Kind, cells: readonly Cell[]): Arbitrary<Leaf> {
  const { [kind]: strange } = strangers;
  const usual = valuesOf(cells, kind);
  const values =
    strange === undefined
      ? usual
      : fc.oneof(
          { weight: 6, arbitrary: usual },
          { weight: 1, arbitrary: fc.constantFrom(...strange) },
        );
  return fc.constantFrom(...comparatorsOf(kind)).chain((comparator): Arbitrary<Leaf> => {
    const base = { relations: [], leaf, kind, comparator } as const;
    if (comparator === 'in') {
      return listsOf(values, kind).map((value) => ({ ...base, value }));
    }
    const nullable = comparator === '=' || comparator.startsWith('!=') || comparator === '===';
    return (nullable ? fc.option(values, { freq: 6 }) : values).map((value) => ({
      ...base,
      value,
    }));
  });
}

/** Filters of up to three levels. */
export function filters(dataclass: string): Arbitrary<Filter> {
  const leaf: Arbitrary<Filter> = leaves(dataclass, 3).map(
    ({ kind, comparator, value, ...where }) =>
      kind === 'boolean' && comparator === '===' && value === 'true'
        ? { is: 'flag', ...where }
        : { is: 'comparison', kind, comparator, value, ...where },
  );
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'filter' },
      { weight: 3, arbitrary: leaf },
      {
        weight: 3,
        arbitrary: fc.record({
          is: fc.constantFrom('and', 'or', 'except'),
          left: tie('filter'),
          right: tie('filter'),
        }),
      },
      { weight: 2, arbitrary: fc.record({ is: fc.constant('not'), operand: tie('filter') }) },
    ),
  }));
  return filter;
}

/**
 * A filter as a client writes it.
 * @param quotes whether numbers and times are written as text; to a property of a JSON column, which has no type of its own, a number never is
 */
export function treeOf(filter: Filter, quotes: boolean): Tree {
  switch (filter.is) {
    case 'and':
    case 'or':
    case 'except': {
      const [left, right] = [treeOf(filter.left, quotes), treeOf(filter.right, quotes)];
      return { kind: filter.is, left, right };
    }
    case 'not':
      return { kind: 'not', operand: treeOf(filter.operand, quotes) };
    case 'flag':
      return { kind: 'flag', names: [...filter.relations, filter.leaf] };
    case 'comparison': {
      const { kind, comparator, value } = filter;
      const names = [...filter.relations, ...filter.leaf.split('.')];
      const written = (text: string | null): Value => {
        if (text === null) return { text: 'null', class: 'null' };
        if (isText(kind) || (quotes && kind !== 'boolean' && kind !== 'decimal')) {
          return quotedValue(text);
        }
        const isNumber = ['integer', 'decimal', 'double', 'real'].includes(kind);
        return { text, class: isNumber ? 'number' : kind === 'boolean' ? 'boolean' : 'word' };
      };
      if (comparator !== 'in') {
        return { kind: 'comparison', names, comparator, value: written(value as string | null) };
      }
      return { kind: 'in', names, values: (value as readonly (string | null)[]).map(written) };
    }
  }
}
