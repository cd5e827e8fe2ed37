import type { Dataclass } from '../../model/types.ts';
import type { Condition, KeyedQuery, Output, StampSource } from '../../sql/ir/ir.ts';
import { prepare, type Prepared, type Reader, type Statement } from '../../sql/ir/statement.ts';
import type { SaveRequest } from '../../protocol/ast.ts';
import { attributeTree } from '../read/attribute-tree.ts';
import { planFilter } from '../condition/filter.ts';
import { KEYED_OFFSET, Projection } from '../read/projection.ts';
import type { PlanContext } from '../context.ts';
import { planOrder } from '../read/read.ts';
import { neededFor } from './rights.ts';
import { Aliases, Scope } from '../condition/scope.ts';
import type { RowsPlan, StampField } from '../condition/types.ts';

/**
 * How saved entities are read again, by their keys, and answered. What a client is told of an entity itself, its stamp above all,
 * is read in the transaction that saved it; what is related to it, and which of the entities are answered in which
 * order, after the commit: it would lock rows of other tables while rows of this one are locked.
 */
export interface SaveAnswerPlan {
  /** The rows of both statements together; their columns are indexes into {@link columns}. */
  readonly rows: RowsPlan;
  /** Reads the entity's own columns. */
  readonly own: Prepared<KeyedQuery>;
  /** Reads what to-one relations add, of the entities that `$filter` finds, in the order of `$orderby`; null where there is none of it. */
  readonly related: Statement | null;
  /** Where each column of the answer is: in the rows of which query, and where there. */
  readonly columns: readonly AnswerColumn[];
  /** How the stamp is had from a row of the own columns, and where that has the global one; null where nothing of the answer tells of that. */
  readonly stamp: StampField;
  readonly globalStamp: number | null;
  /** Where it tells whether the row is one of the dataclass's entities; null where each row is. */
  readonly inside: number | null;
  /** Where it tells whether the row is as one may be that was created, or changed; null where each may. */
  readonly permitted: Readonly<Record<'create' | 'update', number | null>>;
}

/** A column of the answer, by its place in the rows of one of its queries. */
export interface AnswerColumn {
  readonly query: 'own' | 'related';
  readonly at: number;
}

/**
 * Plans how saved entities are answered.
 * @throws ProtocolError for names that do not exist, and what does not apply
 */
export function planSaveAnswer(
  { attributes, expand, asArray, filter, orderBy }: SaveRequest,
  dataclass: Dataclass,
  context: PlanContext,
): SaveAnswerPlan {
  const scope = Scope.root(dataclass, new Aliases());
  const projection = new Projection(0, context);
  const tree = attributeTree(dataclass, attributes, { expand, asArray }, '$attributes', context);
  const shape = projection.entity(scope, tree);
  // Collections within an entity have it.
  const isGlobal = projection.children.length > 0;
  const globalStamp = isGlobal ? projection.outputs.add({ kind: 'globalStamp' }) : null;
  const meets = (condition: Condition | null): number | null =>
    condition === null ? null : projection.outputs.add({ kind: 'meets', condition });
  const inside = meets(scope.restriction);
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
  const place = (column: number): number => columns[column]?.at ?? 0;
  const placed = (column: number | null): number | null => (column === null ? null : place(column));
  const byKey = {
    kind: 'keyed',
    keyColumns: dataclass.key.map(({ column }) => scope.column(column)),
    from: scope.source,
  } as const;
  const isAlone = related.length === 0 && where === null && orderBy.length === 0;
  const { print } = context.printer;
  const ownQuery: KeyedQuery = { ...byKey, outputs: own, joins: [], where: null, orderBy: [] };
  const ownStatement = prepare(ownQuery, context.printer);
  const relatedStatement = isAlone
    ? null
    : print({
        ...byKey,
        outputs: related,
        joins: scope.joins,
        where,
        orderBy: orderBy.length === 0 ? [] : order,
      });
  const readers = columns.flatMap(({ query, at }): Reader[] => {
    const reader = (query === 'own' ? ownStatement : relatedStatement)?.readers[at];
    return reader === undefined ? [] : [reader];
  });
  return {
    rows: { readers, shape, children: projection.children },
    own: ownStatement,
    related: relatedStatement,
    columns,
    stamp: stampIn(shape.stamp, place),
    globalStamp: placed(globalStamp),
    inside: placed(inside),
    permitted: { create: placed(permitted.create), update: placed(permitted.update) },
  };
}

/** A stamp of the answer's columns by their places in the rows of the own ones. */
function stampIn(stamp: StampField, place: (column: number) => number): StampField {
  switch (stamp.kind) {
    case 'column':
      return { ...stamp, column: place(stamp.column) };
    case 'hash':
      return { ...stamp, columns: stamp.columns.map(place) };
    case 'none':
      return stamp;
  }
}

/** Whether a result column is of the entity's own row, not of one that is joined to it. */
function isOwn(output: Output, { source: { alias } }: Scope): boolean {
  switch (output.kind) {
    case 'value':
    case 'presence':
    case 'byteLength':
    case 'slice':
    case 'digest':
      return output.operand.alias === alias;
    case 'stamp':
      return isOwnStamp(output.source, alias);
    case 'meets':
    case 'globalStamp':
      return true;
  }
}

function isOwnStamp(source: StampSource, alias: string): boolean {
  switch (source.kind) {
    case 'column':
    case 'rowversion':
      return source.column.alias === alias;
    case 'xmin':
      return source.alias === alias;
  }
}
