import { notApplicable, ProtocolError } from '../../base/errors.ts';
import type { StorageAttribute } from '../../model/types.ts';
import type { ColumnRef } from '../../sql/ir/ir.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import type { Aggregate } from '../../sql/ir/value-ir.ts';
import { COMPUTATIONS, type Computation, type ComputeRequest } from '../../protocol/ast.ts';
import { COUNT, FLOAT, hasOwnOrder, MADE_TEXT, NUMBER } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import { checkAggregates, type PlanContext } from '../context.ts';
import { planSelectedValues, type ValueOrigin } from './value-selection.ts';
import type { AttributeValues } from './values.ts';

/** A computation on the values of an attribute (§4.10), for all requests of one shape. */
export interface ComputePlan {
  readonly origin: ValueOrigin;
  readonly statement: Statement;
  /** The name under which all results are answered; null when one value is answered as it is. */
  readonly under: string | null;
  /** The results in their order; of a property of objects, those of its numbers. */
  readonly computed: readonly Computation[];
  readonly columns: ComputedColumns;
  readonly attribute: Pick<StorageAttribute, 'trim' | 'simpleDate'>;
  /** Whether sums and averages are computed as floats, or else with all digits. */
  readonly isFloat: boolean;
}

/** The columns of the result; null for values that are not asked for. */
interface ComputedColumns {
  readonly count: number;
  /** How many values are numbers, when they are of any JSON type; else null. */
  readonly numbers: number | null;
  readonly sum: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** The least and the greatest of texts, where there are no numbers. */
  readonly textMin: number | null;
  readonly textMax: number | null;
}

/** For values that have an order and no sum. */
const OF_ORDERED: readonly Computation[] = ['count', 'min', 'max'];

/** Plans a computation. @throws ProtocolError notApplicable for what cannot be computed of the attribute's type */
export function planCompute(
  { of, keyword, narrowed }: ComputeRequest,
  context: PlanContext,
): ComputePlan {
  const { origin, values } = planSelectedValues(of, narrowed, context);
  for (const dataclass of values.dataclasses) checkAggregates(dataclass);
  const known = computationsOf(values);
  if (keyword !== 'all' && !known.includes(keyword)) throw notForType(keyword, values, known);
  const computed = keyword === 'all' ? known : [keyword];
  const { attribute, rows, path, columns } = values;
  const { aggregates, places } = planAggregates(values, computed);
  const value = columns.kind === 'attribute' ? columns.value : columns.any;
  return {
    origin,
    under: keyword === 'all' ? path : null,
    computed,
    columns: places,
    attribute,
    isFloat: value.type.kind === 'float',
    statement: context.printer.print({
      kind: 'aggregate',
      rows,
      where: { kind: 'isNull', negated: true, operand: value },
      aggregates,
    }),
  };
}

/** The computations of an attribute's values; all of them for properties, whose types only the database sees. */
function computationsOf({ columns }: AttributeValues): readonly Computation[] {
  return columns.kind === 'property' ? COMPUTATIONS : computationsOfType(columns.value.type);
}

/** The computations that a type has. */
export function computationsOfType({ kind }: ColumnType): readonly Computation[] {
  switch (kind) {
    case 'integer':
    case 'decimal':
    case 'float':
      return COMPUTATIONS;
    case 'text':
    case 'opaque':
    case 'hex':
    case 'date':
    case 'timestamp':
    case 'time':
      return OF_ORDERED;
    case 'boolean':
    case 'uuid':
    case 'json':
    case 'binary':
      return ['count'];
  }
}

function notForType(
  keyword: Computation,
  { name, attribute }: AttributeValues,
  known: readonly Computation[],
): ProtocolError {
  const words = ['$all', ...known];
  const message = `There is no ${keyword} of ${name}, which is of type ${attribute.type}: expected ${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
  return notApplicable(message, { within: '$compute', position: 1 });
}

/** Lists the aggregates that something is computed from, and where each stands in the result. */
function planAggregates(
  { columns }: AttributeValues,
  computed: readonly Computation[],
): { readonly aggregates: readonly Aggregate[]; readonly places: ComputedColumns } {
  const aggregates: Aggregate[] = [];
  const add = (aggregate: Aggregate): number => aggregates.push(aggregate) - 1;
  const isProperty = columns.kind === 'property';
  const number = isProperty ? columns.number : columns.value;
  const isFloat = number.type.kind === 'float';
  const adds = computed.includes('sum') || computed.includes('average');
  const extreme = (name: 'min' | 'max', of: ColumnRef): number | null =>
    computed.includes(name) ? add({ function: name, of, type: answeredType(of.type) }) : null;
  const places = {
    // Rows without a value are left out. SQL Server does not count its older types of text and images by their columns.
    count: add({ function: 'rows', type: COUNT }),
    numbers: isProperty ? add({ function: 'count', of: number, type: COUNT }) : null,
    sum: adds ? add({ function: 'sum', of: number, type: isFloat ? FLOAT : NUMBER }) : null,
    min: extreme('min', number),
    max: extreme('max', number),
    textMin: isProperty ? extreme('min', columns.text) : null,
    textMax: isProperty ? extreme('max', columns.text) : null,
  };
  return { aggregates, places };
}

/** The type in which a value is answered: one that is compared as its text is answered as that text. */
export function answeredType(type: ColumnType): ColumnType {
  return type.kind === 'opaque' && !hasOwnOrder(type) ? MADE_TEXT : type;
}
