/**
 * What a `$filter` means (§4.3; DECISIONS, "$filter"), said once more in a few lines: three-valued logic over rows in
 * memory. It shares nothing with the gateway but the specification.
 */
import { facts } from '../../conformance/dataclasses.ts';
import { related, relationTarget, type Row } from '../../conformance/oracle.ts';
import { cellOf, type Cell, type Kind } from './entities.ts';

export type Comparator =
  '=' | '!=' | '===' | '!==' | '<' | '<=' | '>' | '>=' | 'in' | 'begin' | 'contains';

/** One comparison; `value` is text as the client means it, null for null, a list for `in`. */
export interface Comparison {
  readonly is: 'comparison';
  /** Relations from the dataclass on. */
  readonly relations: readonly string[];
  /** An attribute, or the dotted path of a property. */
  readonly leaf: string;
  readonly kind: Kind;
  readonly comparator: Comparator;
  readonly value: string | null | readonly (string | null)[];
}

export type Filter =
  | Comparison
  /** A boolean attribute alone. */
  | { readonly is: 'flag'; readonly relations: readonly string[]; readonly leaf: string }
  | { readonly is: 'and' | 'or' | 'except'; readonly left: Filter; readonly right: Filter }
  | { readonly is: 'not'; readonly operand: Filter };

/** True, false or unknown. */
type Truth = boolean | null;

export function evaluate(filter: Filter, dataclass: string, row: Row): Truth {
  switch (filter.is) {
    case 'and':
      return both(evaluate(filter.left, dataclass, row), evaluate(filter.right, dataclass, row));
    case 'or':
      return not(
        both(
          not(evaluate(filter.left, dataclass, row)),
          not(evaluate(filter.right, dataclass, row)),
        ),
      );
    case 'except':
      return both(
        evaluate(filter.left, dataclass, row),
        evaluate(filter.right, dataclass, row) !== true,
      );
    case 'not':
      return not(evaluate(filter.operand, dataclass, row));
    case 'flag':
      return along(filter.relations, filter.leaf, dataclass, row, (cell) =>
        cell === null ? null : cell === true,
      );
    case 'comparison':
      return along(filter.relations, filter.leaf, dataclass, row, (cell) => compare(cell, filter));
  }
}

const not = (truth: Truth): Truth => (truth === null ? null : !truth);

function both(left: Truth, right: Truth): Truth {
  if (left === false || right === false) return false;
  return left === null || right === null ? null : true;
}

const known = new WeakMap<Row, Map<string, readonly Row[]>>();

/** The rows that a relation leads to, which filters ask for again and again. */
function followed(dataclass: string, row: Row, name: string): readonly Row[] {
  const ofRow = known.get(row) ?? new Map<string, readonly Row[]>();
  known.set(row, ofRow);
  const found = ofRow.get(name) ?? related(dataclass, row, name);
  ofRow.set(name, found);
  return found;
}

/** To one: the value at the end, null where there is no entity. To many: whether the condition holds for one of them. */
function along(
  [name, ...rest]: readonly string[],
  leaf: string,
  dataclass: string,
  row: Row | null,
  condition: (cell: Cell) => Truth,
): Truth {
  if (name === undefined) return condition(row === null ? null : cellOf(leaf, dataclass, row));
  const found = row === null ? [] : followed(dataclass, row, name);
  const target = relationTarget(dataclass, name);
  const isMet = (one: Row | null): Truth => along(rest, leaf, target, one, condition);
  const isToOne = 'one' in (facts(dataclass).relations[name] ?? {});
  return isToOne ? isMet(found[0] ?? null) : found.some((one) => isMet(one) === true);
}

function compare(cell: Cell, { kind, comparator, value }: Comparison): Truth {
  if (comparator === 'in') {
    const list = value as readonly (string | null)[];
    return list
      .map((item) =>
        item === null ? cell === null : order(cell, item, kind, (sign) => sign === 0),
      )
      .reduce<Truth>((some, one) => not(both(not(some), not(one))), false);
  }
  if (value === null) return (comparator === '=' || comparator === '===') === (cell === null);
  const text = value as string;
  const wild = isText(kind) && (text.includes('@') || text.endsWith('*'));
  const ordered = (holds: (sign: number) => boolean): Truth => order(cell, text, kind, holds);
  switch (comparator) {
    case '=':
      return wild ? matches(cell, text) : ordered((sign) => sign === 0);
    case '!=':
      return wild ? not(matches(cell, text)) : ordered((sign) => sign !== 0);
    case '===':
      return ordered((sign) => sign === 0);
    case '!==':
      return ordered((sign) => sign !== 0);
    case '<':
      return ordered((sign) => sign < 0);
    case '<=':
      return ordered((sign) => sign <= 0);
    case '>':
      return ordered((sign) => sign > 0);
    case '>=':
      return ordered((sign) => sign >= 0);
    case 'begin':
      return cell === null ? null : folded(String(cell)).startsWith(folded(text));
    case 'contains':
      return cell === null ? null : folded(String(cell)).includes(folded(text));
  }
}

function order(cell: Cell, text: string, kind: Kind, holds: (sign: number) => boolean): Truth {
  return cell === null ? null : holds(sign(comparable(cell, kind), comparable(text, kind)));
}

type Comparable = bigint | number | string;

const comparables = new Map<Kind, Map<string | number | boolean, Comparable>>();

/** What a value is compared by. Filters compare the same ones again and again. */
function comparable(cell: string | number | boolean, kind: Kind): Comparable {
  const ofKind = comparables.get(kind) ?? new Map<string | number | boolean, Comparable>();
  comparables.set(kind, ofKind);
  const found = ofKind.get(cell) ?? comparableOf(cell, kind);
  ofKind.set(cell, found);
  return found;
}

/** Numbers exactly, as integers of 10^-12; instants as milliseconds; text by code points with its case folded. */
function comparableOf(cell: string | number | boolean, kind: Kind): Comparable {
  switch (kind) {
    case 'integer':
    case 'decimal':
      return exactly(String(cell));
    case 'double':
      return Number(cell);
    case 'real':
      return Math.fround(Number(cell));
    case 'text':
      return folded(String(cell));
    case 'padded':
      return folded(String(cell)).replace(/ +$/, '');
    case 'instant':
      return Date.parse(String(cell));
    case 'time':
      return String(cell).padEnd(12, '.000');
    case 'boolean':
    case 'date':
      return String(cell);
  }
}

function exactly(digits: string): bigint {
  const [whole = '0', fraction = ''] = digits.split('.');
  return BigInt(whole + fraction.padEnd(12, '0'));
}

function sign(left: Comparable, right: Comparable): number {
  if (typeof left === 'string' && typeof right === 'string') {
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }
  return left < right ? -1 : left > right ? 1 : 0;
}

export function isText(kind: Kind): boolean {
  return kind === 'text' || kind === 'padded';
}

/** Character for character, as engines do it: JavaScript alone makes two of a capital dotted I. */
function folded(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}

/** `@` stands for any text, and so does a `*` at the end. */
function matches(cell: Cell, pattern: string): Truth {
  if (cell === null) return null;
  const parts = folded(pattern.replace(/\*$/, '@'))
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .split('@');
  return new RegExp(`^${parts.join('[^]*')}$`, 'u').test(folded(String(cell)));
}
