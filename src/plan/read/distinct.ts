import { notApplicable } from '../../base/errors.ts';
import type { StorageAttribute } from '../../model/types.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { Condition } from '../../sql/ir/ir.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import type { DistinctColumn, DistinctQuery } from '../../sql/ir/value-ir.ts';
import type { DistinctRequest, OrderNode, ParameterRef } from '../../protocol/ast.ts';
import { answeredType } from './compute.ts';
import type { PlanContext } from '../context.ts';
import { windowOf } from './read.ts';
import { planSelectedValues, type ValueOrigin } from './value-selection.ts';
import type { AttributeValues } from './values.ts';

/** The distinct values of an attribute (§4.11), for all requests of one shape. */
export interface DistinctPlan {
  readonly origin: ValueOrigin;
  /** Selects a row for each value, in the only column that is not null. */
  readonly statement: Statement;
  /** The types of its columns. */
  readonly types: readonly ColumnType[];
  readonly top: ParameterRef;
  /** Whether all values are asked for: then `top` is one more than an answer may hold. */
  readonly all: boolean;
  readonly name: string;
  readonly attribute: Pick<StorageAttribute, 'trim' | 'simpleDate'>;
  /** Whether numbers are those of JSON, without a column that says how many digits they have. */
  readonly isProperty: boolean;
}

/** Plans a read of distinct values. @throws ProtocolError notApplicable for values that are not compared, and for another order */
export function planDistinct({ of, all }: DistinctRequest, context: PlanContext): DistinctPlan {
  const { orderBy, top, skip } = of.kind === 'read' ? of : of.read;
  // A single entity takes no order; here it is that of the values.
  const { origin, values } = planSelectedValues(unordered(of), false, context);
  const columns = columnsOf(values);
  const query: DistinctQuery = {
    kind: 'distinct',
    rows: values.rows,
    where: {
      kind: 'or',
      items: columns.map(({ column: operand }): Condition => ({
        kind: 'isNull',
        negated: true,
        operand,
      })),
    },
    columns,
    descending: isDescending(orderBy, values),
    window: windowOf({ top, skip }),
  };
  return {
    origin,
    top,
    all,
    name: values.name,
    attribute: values.attribute,
    isProperty: values.columns.kind === 'property',
    statement: context.printer.print(query),
    types: columns.map(({ type }) => type),
  };
}

function unordered(of: DistinctRequest['of']): DistinctRequest['of'] {
  return of.kind === 'read' ? { ...of, orderBy: [] } : { ...of, read: { ...of.read, orderBy: [] } };
}

function columnsOf({ columns, attribute, name }: AttributeValues): readonly DistinctColumn[] {
  const { ignoreCase } = attribute;
  if (columns.kind === 'property') {
    return [
      { column: columns.boolean, folded: false, type: columns.boolean.type },
      { column: columns.text, folded: ignoreCase, type: columns.text.type },
      { column: columns.number, folded: false, type: columns.number.type },
    ];
  }
  const { value: column } = columns;
  const { kind } = column.type;
  if (kind === 'json' || kind === 'binary') {
    const why = kind === 'json' ? '; name one of its properties' : '';
    const message = `Attributes of type ${attribute.type} do not support $distinct: ${name}${why}.`;
    throw notApplicable(message);
  }
  const isText = kind === 'text' || kind === 'opaque';
  return [{ column, folded: isText && ignoreCase, type: answeredType(column.type) }];
}

/** The only order that values have is their own, one way or the other. */
function isDescending(orderBy: readonly OrderNode[], { path, name }: AttributeValues): boolean {
  const [term, another] = orderBy;
  if (term === undefined) return false;
  const other = term.path.names.join('.') === path ? another : term;
  if (other === undefined) return term.descending;
  const message = `The distinct values of ${name} can only be in the order of ${path}`;
  throw notApplicable(message, { within: '$orderby', position: other.path.position });
}
