import type { Dataclass } from '../../model/types.ts';
import type { Condition, KeyedQuery, Output } from '../../sql/ir/ir.ts';
import type { Reader, Statement } from '../../sql/ir/statement.ts';
import type { SaveRequest } from '../../protocol/ast.ts';
import { attributeTree } from '../read/attribute-tree.ts';
import { planFilter } from '../condition/filter.ts';
import { KEYED_OFFSET, Projection } from '../read/projection.ts';
import type { PlanContext } from '../context.ts';
import { planOrder } from '../read/read.ts';
import { neededFor } from './rights.ts';
import { Aliases, Scope } from '../condition/scope.ts';
import type { RowsPlan, StampField } from '../condition/types.ts';

/** How saved entities are read again: their own columns in the transaction; related ones, filter and order after it, to lock no other tables. */
export interface SaveAnswerPlan {
  /** The rows of both statements together; their columns are indexes into {@link columns}. */
  readonly rows: RowsPlan;
  readonly own: Statement;
  readonly ownQuery: KeyedQuery;
  /** Reads the columns of to-one relations, of the entities that `$filter` finds, in the order of `$orderby`; null where nothing is asked for. */
  readonly related: Statement | null;
  readonly columns: readonly AnswerColumn[];
  /** The stamp in a row of the own columns. */
  readonly stamp: StampField;
  /** The index of the global stamp there; null where the answer does not have it. */
  readonly globalStamp: number | null;
  /** The index there of whether the row is one of the dataclass's entities; null where every row is. */
  readonly inside: number | null;
  /** The indexes there of whether the user may create such a row, or change a row into it; null where every row is permitted. */
  readonly permitted: Readonly<Record<'create' | 'update', number | null>>;
}

/** A column of the answer: the query that reads it, and its index there. */
interface AnswerColumn {
  readonly query: 'own' | 'related';
  readonly at: number;
}

/** Plans how saved entities are answered. @throws ProtocolError for names that do not exist, and what does not apply */
export function planSaveAnswer(
  { attributes, expand, asArray, filter, orderBy }: SaveRequest,
  dataclass: Dataclass,
  context: PlanContext,
): SaveAnswerPlan {
  const scope = Scope.root(dataclass, new Aliases());
  const projection = new Projection(0, context);
  const tree = attributeTree(dataclass, attributes, { expand, asArray }, '$attributes', context);
  const shape = projection.entity(scope, tree);
  // Collections within an entity have the global stamp.
  const hasCollections = projection.children.length > 0;
  const globalStamp = hasCollections ? projection.outputs.add({ kind: 'globalStamp' }) : null;
  const meets = (condition: Condition | null): number | null =>
    condition === null ? null : projection.outputs.add({ kind: 'meets', condition });
  const inside = meets(scope.restrictionInSubqueries);
  const allowing = (change: 'create' | 'update'): number | null => {
    const needed = neededFor(dataclass, change);
    return meets(needed === null ? null : scope.meeting(needed));
  };
  const permitted = { create: allowing('create'), update: allowing('update') };
  const where = filter === null ? null : planFilter(filter, scope, '$filter', context);
  const order = planOrder(orderBy, scope, context);
  const outputs = projection.outputs.items;
  const own = outputs.filter((output) => isOwn(output, scope));
  const related = outputs.filter((output) => !isOwn(output, scope));
  const columns = outputs.map((output): AnswerColumn =>
    isOwn(output, scope)
      ? { query: 'own', at: KEYED_OFFSET + own.indexOf(output) }
      : { query: 'related', at: KEYED_OFFSET + related.indexOf(output) },
  );
  const indexOf = (column: number): number => columns[column]?.at ?? 0;
  const known = (column: number | null): number | null =>
    column === null ? null : indexOf(column);
  const isAlone = related.length === 0 && where === null && orderBy.length === 0;
  const { printer } = context;
  const ownQuery = scope.keyed({ outputs: own, joins: [], where: null });
  const ownStatement = printer.print(ownQuery);
  const relatedStatement = isAlone
    ? null
    : printer.print(
        scope.keyed({ outputs: related, where, orderBy: orderBy.length === 0 ? [] : order }),
      );
  const readers = columns.flatMap(({ query, at }): Reader[] => {
    const reader = (query === 'own' ? ownStatement : relatedStatement)?.readers[at];
    return reader === undefined ? [] : [reader];
  });
  return {
    rows: { readers, shape, children: projection.children },
    own: ownStatement,
    ownQuery,
    related: relatedStatement,
    columns,
    stamp: stampIn(shape.stamp, indexOf),
    globalStamp: known(globalStamp),
    inside: known(inside),
    permitted: { create: known(permitted.create), update: known(permitted.update) },
  };
}

/** The stamp with the indexes that its columns have in the rows of the own columns. */
function stampIn(stamp: StampField, indexOf: (column: number) => number): StampField {
  switch (stamp.kind) {
    case 'column':
      return { ...stamp, column: indexOf(stamp.column) };
    case 'hash':
      return { ...stamp, columns: stamp.columns.map(indexOf) };
    case 'none':
      return stamp;
  }
}

/** Whether a result column is of the entity's own row, not of a joined one. */
function isOwn(output: Output, { source: { alias } }: Scope): boolean {
  switch (output.kind) {
    case 'value':
    case 'presence':
    case 'byteLength':
    case 'slice':
    case 'digest':
      return output.operand.alias === alias;
    case 'stamp':
      return output.source.kind === 'xmin'
        ? output.source.alias === alias
        : output.source.column.alias === alias;
    case 'meets':
    case 'globalStamp':
      return true;
  }
}
