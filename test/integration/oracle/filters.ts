/** Random filters over a dataclass, and the text that a client would write for them. */
import fc, { type Arbitrary } from 'fast-check';
import { relationTarget } from '../../conformance/oracle.ts';
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

/** How values are spelled, and what is in parentheses: drawn from the choices by one number after the other. Other spellings are read alike (`property/filter-roundtrip.test.ts`). */
export class Spelling {
  readonly params: unknown[] = [];
  readonly #choices: readonly number[];
  #at = 0;

  constructor(choices: readonly number[]) {
    this.#choices = choices;
  }

  pick<T>(...list: readonly [T, ...T[]]): T {
    const choice = this.#choices[this.#at % this.#choices.length] ?? 0;
    this.#at += 1;
    return list[choice % list.length] ?? list[0];
  }

  /** The text of a filter. Joins are read from left to right, so only a compound on the right needs parentheses. */
  print(filter: Filter): string {
    switch (filter.is) {
      case 'and':
      case 'or':
      case 'except': {
        const [left, right] = [this.print(filter.left), this.print(filter.right)];
        const isJoint = ['and', 'or', 'except'].includes(filter.right.is);
        return [
          this.pick(false, true) ? `(${left})` : left,
          filter.is,
          isJoint || this.pick(false, true) ? `(${right})` : right,
        ].join(' ');
      }
      case 'not':
        return `not(${this.print(filter.operand)})`;
      case 'flag':
        return [...filter.relations, filter.leaf].join('.');
      case 'comparison': {
        const path = [...filter.relations, filter.leaf].join('.');
        const comparator = filter.comparator === 'contains' ? '%' : filter.comparator;
        return `${path} ${comparator} ${this.#value(filter.value, filter.kind)}`;
      }
    }
  }

  #value(value: string | null | readonly (string | null)[], kind: Kind): string {
    if (this.pick(false, true, false)) {
      this.params.push(
        Array.isArray(value)
          ? value.map((item: string | null) => parameter(item, kind))
          : parameter(value as string | null, kind),
      );
      return `:${this.params.length}`;
    }
    if (!Array.isArray(value)) return this.#one(value as string | null, kind);
    const items = value.map((item: string | null) => this.#one(item, kind));
    return `[${items.join(', ')}]`;
  }

  #one(value: string | null, kind: Kind): string {
    if (value === null) return 'null';
    if (!isText(kind)) {
      // A quoted number or boolean is text to a property of a JSON column, which has no type of its own.
      const bare = kind === 'boolean' || kind === 'decimal' || this.pick(true, false);
      return bare ? value : `'${value}'`;
    }
    return this.pick(true, false)
      ? `'${value.replaceAll("'", '\\u0027')}'`
      : `"${value.replaceAll('"', '\\u0022')}"`;
  }
}

/** JSON of a parameter; numbers as their digits. */
function parameter(value: string | null, kind: Kind): unknown {
  if (value === null) return null;
  if (kind === 'boolean') return value === 'true';
  return ['integer', 'decimal', 'double', 'real'].includes(kind) ? new Digits(value) : value;
}

class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** `JSON.stringify`, with the digits of numbers as they are. */
export function paramsText(value: unknown): string {
  if (value instanceof Digits) return value.text;
  return Array.isArray(value) ? `[${value.map(paramsText).join(',')}]` : JSON.stringify(value);
}
