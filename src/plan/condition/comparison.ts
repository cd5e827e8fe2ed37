import { ProtocolError, type TextPosition } from '../../base/errors.ts';
import type { StorageAttribute } from '../../model/types.ts';
import type {
  ColumnRef,
  ComparisonOperator,
  Condition,
  JsonProperty,
  Operand,
  Parameter,
  ParameterUse,
  ValueSource,
} from '../../sql/ir/ir.ts';
import type { Comparator, FilterNode, LiteralClass, ParameterRef } from '../../protocol/ast.ts';
import { BOOLEAN, comparedByText, NUMBER, TEXT } from '../../schema/type-rules.ts';
import { type ColumnType, isQuantized } from '../../schema/types.ts';
import type { PlanContext } from '../context.ts';

/** Where compared values come from, and what a comparison with them means. */
export interface ComparisonContext extends Pick<PlanContext, 'nullsMatchNotEqual'> {
  /** Says where the value of a parameter comes from, which is compared as a type with an attribute. */
  readonly source: (parameter: number, type: ColumnType, meets: string) => ValueSource;
}

/** The attribute at the end of a path, and the operand that is compared. */
export interface Leaf {
  readonly attribute: StorageAttribute;
  readonly operand: ColumnRef | JsonProperty;
  /** For messages: `Employee.extra.color`. */
  readonly name: string;
  readonly at: TextPosition;
}

/** A node of a filter that compares: the others only join such nodes. */
export type LeafNode = Extract<FilterNode, { kind: 'comparison' | 'flag' }>;

/** Is true of each row. */
export const ANY: Condition = { kind: 'and', items: [] };

/** Joins conditions by AND; null where there are none. */
export function allOf(conditions: readonly (Condition | null)[]): Condition | null {
  const items = conditions.filter((condition) => condition !== null);
  return items.length === 0 ? null : { kind: 'and', items };
}

/** `((a AND b) AND c)` as `[a, b, c]`, so that long filters print flat. */
export function flatten(node: FilterNode, kind: 'and' | 'or'): FilterNode[] {
  const items: FilterNode[] = [];
  let rest = node;
  while (rest.kind === kind) {
    items.unshift(rest.right);
    rest = rest.left;
  }
  items.unshift(rest);
  return items;
}

interface PathEnd {
  readonly dataclass: string;
  readonly attribute: StorageAttribute;
  readonly column: ColumnRef;
  /** The names behind the attribute's. */
  readonly properties: readonly string[];
  readonly as: JsonProperty['as'];
  readonly at: TextPosition;
}

/** Finds the operand at the end of a path. @throws ProtocolError noSuchAttribute for a property of an attribute that has none */
export function leafOf({ dataclass, attribute, column, properties, as, at }: PathEnd): Leaf {
  const name = [dataclass, attribute.name, ...properties].join('.');
  if (properties.length === 0) return { attribute, operand: column, name, at };
  checkProperties(dataclass, attribute, properties, at);
  return { attribute, operand: { kind: 'jsonProperty', column, path: properties, as }, name, at };
}

/** Refuses names behind an attribute that has no properties. @throws ProtocolError noSuchAttribute */
export function checkProperties(
  dataclass: string,
  { name, type, columnType }: StorageAttribute,
  properties: readonly string[],
  at: TextPosition,
): void {
  if (properties.length === 0 || columnType.kind === 'json') return;
  const message = `${dataclass}.${name} is of type ${type}: it has no properties, and ${properties.join('.')} is none`;
  throw new ProtocolError('noSuchAttribute', message, at);
}

/** The type a JSON property is compared as: that of the values it is compared with, or text for comparators of text. */
export function comparedAs(node: LeafNode): JsonProperty['as'] {
  if (node.kind === 'flag') return 'boolean';
  const { comparator, value } = node;
  if (comparator === 'begin' || comparator === 'contains') return 'text';
  const classes = (value.items ?? [value.class]).filter((kind) => kind !== 'null');
  if (classes.length === 0) return 'text';
  if (classes.every((kind) => kind === 'number')) return 'number';
  return classes.every((kind) => kind === 'boolean') ? 'boolean' : 'text';
}

/** Plans the condition of a leaf. @throws ProtocolError comparatorNotForType */
export function leafCondition(leaf: Leaf, node: LeafNode, context: ComparisonContext): Condition {
  return node.kind === 'flag' ? flag(leaf) : compare(leaf, node.comparator, node.value, context);
}

function flag(leaf: Leaf): Condition {
  if (comparedType(leaf).kind !== 'boolean') {
    const message = `${leaf.name} is of type ${leaf.attribute.type}; only a boolean attribute can stand alone: expected a comparator`;
    throw new ProtocolError('comparatorNotForType', message, leaf.at);
  }
  return { kind: 'compare', operator: '=', left: leaf.operand, right: { kind: 'true' } };
}

function comparedType({ operand, attribute }: Leaf): ColumnType {
  if (operand.kind === 'column') return attribute.columnType;
  return { text: TEXT, string: TEXT, any: TEXT, number: NUMBER, boolean: BOOLEAN }[operand.as];
}

function compare(
  leaf: Leaf,
  comparator: Comparator,
  value: ParameterRef,
  context: ComparisonContext,
): Condition {
  const type = comparedType(leaf);
  if (isNullLiteral(value.class, type)) {
    return value.class === 'noDate'
      ? compareWithNoDate(leaf, comparator)
      : compareWithNull(leaf, comparator);
  }
  if (type.kind === 'json' || type.kind === 'binary') {
    throw notForType(leaf, comparator, 'it can only be compared with null');
  }
  const isText = type.kind === 'text' || type.kind === 'opaque';
  const parameter = (
    use: ParameterUse,
    round?: Parameter['round'],
    as: ColumnType = type,
  ): Parameter => ({
    kind: 'parameter',
    source: context.source(value.parameter, as, leaf.name),
    type: as,
    use,
    ...(round === undefined ? {} : { round }),
    meets: leaf.name,
  });
  // Text is folded on both sides alike, patterns included; what stands in the column stays as it is.
  const fold = (operand: ColumnRef | JsonProperty | Parameter): Operand =>
    isText && leaf.attribute.ignoreCase ? { kind: 'folded', operand } : operand;
  const left = fold(leaf.operand);
  const like = (use: ParameterUse, negated = false): Condition => {
    if (type.kind === 'hex') {
      throw notForType(leaf, comparator, 'it is for text, and this is bytes');
    }
    if (!isText) throw notForType(leaf, comparator, 'it is for text');
    return {
      kind: 'like',
      negated,
      left,
      right: fold(parameter(use, undefined, comparedByText(type))),
    };
  };
  const plain = (operator: ComparisonOperator): Condition =>
    leaf.operand.kind === 'column'
      ? compareExactly(left, operator, type, (round) => fold(parameter('value', round)))
      : { kind: 'compare', operator, left, right: fold(parameter('value')) };
  switch (comparator) {
    case 'begin':
      return like('begins');
    case 'contains':
      return like('contains');
    case 'in':
      return inList(leaf, left, value, { ...parameter('list'), ...listSize(value, type) });
    case '=':
      return value.class === 'wild' && isText ? like('wildcard') : plain('=');
    case '===':
      return plain('=');
    case '!=':
      return orNull(
        leaf,
        value.class === 'wild' && isText ? like('wildcard', true) : plain('<>'),
        context,
      );
    case '!==':
      return orNull(leaf, plain('<>'), context);
    case '<':
    case '<=':
    case '>':
    case '>=':
      if (type.kind === 'boolean') throw notForType(leaf, comparator, 'booleans have no order');
      return plain(comparator);
  }
}

/** Whether a comparison with null asks for what is null; by the comparators by which it can be made with null. */
const WANTS_NULL: Readonly<Partial<Record<Comparator, boolean>>> = {
  '=': true,
  '===': true,
  '!=': false,
  '!==': false,
};

/** Whether `relation = null` or `relation != null` wants a related entity; null for any other comparison (DECISIONS, "`$filter`"). */
export function wantedRelated(leaf: LeafNode): boolean | null {
  if (leaf.kind === 'flag' || leaf.value.class !== 'null') return null;
  const wanted = WANTS_NULL[leaf.comparator];
  return wanted === undefined ? null : !wanted;
}

function compareWithNull(leaf: Leaf, comparator: Comparator): Condition {
  const wanted = WANTS_NULL[comparator];
  if (wanted === undefined) {
    throw notForType(leaf, comparator, 'null can only be compared by =, IS, != and IS NOT');
  }
  return isNullOf(leaf, !wanted);
}

/** How many values a list has at most besides nulls. */
export function listSize({ items, size }: ParameterRef, type: ColumnType): Pick<Parameter, 'size'> {
  const hasValue = items?.some((item) => !isNullLiteral(item, type)) ?? true;
  if (!hasValue) return { size: 0 };
  return size === undefined ? {} : { size };
}

function isNullOf({ operand }: Leaf, negated = false): Condition {
  return { kind: 'isNull', negated, operand };
}

/** No date is before all dates, as nulls are in an ascending order. */
function compareWithNoDate(leaf: Leaf, comparator: Comparator): Condition {
  const isNull = (negated: boolean): Condition => isNullOf(leaf, negated);
  switch (comparator) {
    case '>':
      return isNull(true);
    case '<=':
      return isNull(false);
    case '<':
      return { kind: 'and', items: [isNull(false), isNull(true)] };
    case '>=':
      return { kind: 'or', items: [isNull(false), isNull(true)] };
    case '=':
    case '===':
    case '!=':
    case '!==':
    case 'in':
    case 'begin':
    case 'contains':
      return compareWithNull(leaf, comparator);
  }
}

/** A null among the values of a list is met by `IS NULL`: no value equals it. */
function inList(leaf: Leaf, left: Operand, value: ParameterRef, list: Parameter): Condition {
  const isIn: Condition = { kind: 'in', left, right: list };
  if (!(value.items ?? []).some((item) => isNullLiteral(item, list.type))) return isIn;
  return { kind: 'or', items: [isIn, isNullOf(leaf)] };
}

function orNull(
  leaf: Leaf,
  condition: Condition,
  { nullsMatchNotEqual }: ComparisonContext,
): Condition {
  if (!nullsMatchNotEqual) return condition;
  return { kind: 'or', items: [condition, isNullOf(leaf)] };
}

/** A comparator as a filter writes it. */
export function writtenComparator(comparator: Comparator): string {
  return comparator === 'contains' ? '%' : comparator;
}

function notForType(leaf: Leaf, comparator: Comparator, why: string): ProtocolError {
  const message = `The comparator ${writtenComparator(comparator)} is not for ${leaf.name} of type ${leaf.attribute.type}: ${why}`;
  return new ProtocolError('comparatorNotForType', message, leaf.at);
}

type Rounding = NonNullable<Parameter['round']>;

/**
 * Compares an operand with a value, whose `parameter` is rounded as the comparison needs where it lies between two steps of the type. Engines cannot
 * look there: SQL Server's datetime takes 0.001 s for 0, and more decimals than a column has would convert the column and miss its index.
 */
export function compareExactly(
  left: Operand,
  operator: ComparisonOperator,
  type: ColumnType,
  parameter: (round?: Rounding) => Operand,
): Condition {
  if (!isQuantized(type)) return { kind: 'compare', operator, left, right: parameter() };
  const compare = (rounded: ComparisonOperator, round: Rounding): Condition => ({
    kind: 'compare',
    operator: rounded,
    left,
    right: parameter(round),
  });
  switch (operator) {
    case '<':
    case '>=':
      return compare(operator, 'up');
    case '<=':
    case '>':
      return compare(operator, 'down');
    case '=':
      // The first alone finds the rows by an index; the second is false where the value is between two steps.
      return { kind: 'and', items: [compare('=', 'down'), compare('>=', 'up')] };
    case '<>':
      return { kind: 'or', items: [compare('<', 'up'), compare('>', 'down')] };
  }
}

/** Whether a value stands for null where it meets a type: `0!0!0` is not a date, and text where text is compared (DECISIONS). */
export function isNullLiteral(kind: LiteralClass, type: ColumnType): boolean {
  return (
    kind === 'null' || (kind === 'noDate' && (type.kind === 'date' || type.kind === 'timestamp'))
  );
}
