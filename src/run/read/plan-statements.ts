import type { Statement } from '../../sql/ir/statement.ts';
import type { ComputePlan } from '../../plan/read/compute.ts';
import type { DistinctPlan } from '../../plan/read/distinct.ts';
import type { GroupsPlan } from '../../plan/read/groups.ts';
import type { ValueOrigin } from '../../plan/read/value-selection.ts';
import type { CallPlan } from '../../plan/call/call.ts';
import type { ContentPlan } from '../../plan/read/content.ts';
import type { EntitySetPlan } from '../../plan/read/entity-set.ts';
import type { ChangesPlan, PagesByKey } from '../../plan/read/changes.ts';
import type { FetchPlan, ReadPlan } from '../../plan/condition/types.ts';
import { pageStatement } from './read.ts';
import type { Literal } from '../../protocol/ast.ts';

/** A statement of a printed read. */
export interface PlannedStatement {
  /**
   * Its purpose. `origin` looks for the entity at the start of the path where nothing else was found. `keys` selects the keys of an entity set,
   * `target` those that a function (`call`) is called on, `saved` those of a set that is gone; `narrowing` filters and orders given keys. `values` reads
   * or computes values of one attribute; `groups` reads a page of groups, `checkedGroups` again without what is no number, `groupCount` counts them; `bound` how far changes are complete, `deleted` and `unmet` the keys of entities to remove, `changed` new and changed
   * entities; `slice` a part of a content, `digested` the first one with a digest, compared with that of the end.
   */
  readonly role:
    | 'entity'
    | 'page'
    | 'origin'
    | 'count'
    | 'related'
    | 'keys'
    | 'target'
    | 'call'
    | 'saved'
    | 'narrowing'
    | 'values'
    | 'groups'
    | 'checkedGroups'
    | 'groupCount'
    | 'bound'
    | 'deleted'
    | 'unmet'
    | 'changed'
    | 'slice'
    | 'digested';
  readonly statement: Statement;
  /** From the page down to the related entities that are fetched; empty for what is not related. */
  readonly path: readonly RelatedStep[];
}

/** A list of related entities of the rows above. */
interface RelatedStep {
  /** Which one of the lists below its parent, from 0. */
  readonly index: number;
  readonly dataclass: string;
  /** The field that holds it, or null where it is not a field of the answer. */
  readonly field: string | null;
}

/** The statements of a read in the order in which they run, but for the global stamp's, which only an empty page needs. */
export function readStatements(plan: ReadPlan, values: readonly Literal[]): PlannedStatement[] {
  const { fetch, origin, count } = plan;
  return [
    ...own(plan.answer === 'entity' ? 'entity' : 'page', pageStatement(plan, values)),
    ...own('origin', origin),
    ...own('count', count),
    ...related(fetch, []),
  ];
}

export function contentStatements({ digested, slice, origin }: ContentPlan): PlannedStatement[] {
  return [...own('digested', digested), ...own('slice', slice), ...own('origin', origin)];
}

/** The same of the first page of a round of changes. */
export function changesStatements(plan: ChangesPlan): PlannedStatement[] {
  const { bound, deleted, unmet, pages, entities } = plan;
  const first = ({ statements }: PagesByKey): Statement | null =>
    statements({ isOfPeriod: true, isBehind: false })[0] ?? null;
  return [
    ...own('bound', bound),
    ...own('deleted', deleted && first(deleted.pages)),
    ...own('unmet', unmet && first(unmet.pages)),
    ...own('changed', first(pages)),
    ...related(entities.fetch, []),
  ];
}

/** The same of a request by way of an entity set; a search for a key and INTERSECT read no page, nor does what has none. */
export function setStatements({
  find,
  combination,
  source,
  narrowing,
  page,
}: Omit<EntitySetPlan, 'page'> & {
  readonly page: EntitySetPlan['page'] | null;
}): PlannedStatement[] {
  const keys =
    source.kind === 'set'
      ? own('saved', source.saved?.keys ?? null)
      : [...own('keys', source.keys), ...own('origin', source.origin)];
  if (find !== null || combination?.operator === 'intersect') return keys;
  return [
    ...keys,
    ...own('narrowing', narrowing?.statement ?? null),
    ...(page === null ? [] : [...own('page', page.statement), ...related(page, [])]),
  ];
}

/** The same of a question for the values of one attribute. */
export function valueStatements({
  origin,
  statement,
}: ComputePlan | DistinctPlan): PlannedStatement[] {
  return ofOrigin(origin, own('values', statement));
}

/** The same of a question for groups. */
export function groupStatements({
  origin,
  statement,
  checked,
  count,
}: GroupsPlan): PlannedStatement[] {
  return ofOrigin(origin, [
    ...own('groups', statement),
    ...own('checkedGroups', checked),
    ...own('groupCount', count),
  ]);
}

/** The statements for values, and those for the entities that have them. */
function ofOrigin(origin: ValueOrigin, values: readonly PlannedStatement[]): PlannedStatement[] {
  return origin.kind === 'set'
    ? [
        ...own('saved', origin.source.saved?.keys ?? null),
        ...own('narrowing', origin.narrowing?.statement ?? null),
        ...values,
      ]
    : [...values, ...own('origin', origin.origin)];
}

/** The same of a call. @param call the statement for as many parameters as it is given */
export function callStatements(
  { selection, answer }: CallPlan,
  call: Statement,
): PlannedStatement[] {
  const target = selection === null ? [] : setStatements({ ...selection, page: null });
  return [
    ...target.map((one): PlannedStatement =>
      one.role === 'keys' ? { ...one, role: 'target' } : one,
    ),
    ...own('call', call),
    ...(answer === null ? [] : setStatements(answer)),
  ];
}

function own(role: PlannedStatement['role'], statement: Statement | null): PlannedStatement[] {
  return statement === null ? [] : [{ role, statement, path: [] }];
}

function related(above: FetchPlan, path: readonly RelatedStep[]): PlannedStatement[] {
  const fields = selections(above);
  return above.children.flatMap(({ fetch }, index): PlannedStatement[] => {
    const { dataclass } = fetch.shape;
    const here = [...path, { index, dataclass: dataclass.name, field: fields.get(index) ?? null }];
    return [{ role: 'related', statement: fetch.statement, path: here }, ...related(fetch, here)];
  });
}

/** The names of the expanded relations to many, by the child that fetches them. */
function selections({ shape }: FetchPlan): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const visit = ({ fields }: FetchPlan['shape'], prefix: string): void => {
    for (const field of fields) {
      if (field.kind === 'selection') found.set(field.child, prefix + field.name);
      if (field.kind === 'entity') visit(field.shape, `${prefix}${field.name}.`);
    }
  };
  visit(shape, '');
  return found;
}
