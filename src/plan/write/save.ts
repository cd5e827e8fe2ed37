import { isUnique } from '../../model/attributes.ts';
import {
  type Dataclass,
  isEngineStamp,
  isRelation,
  isStored,
  type Model,
  type Relation,
  relationsOf,
  type StorageAttribute,
  takesLists,
} from '../../model/types.ts';
import type {
  AttributeNode,
  AttributeUploadRequest,
  LockAction,
  LockRequest,
  PathRef,
  SaveRequest,
  Selector,
  ParameterRef,
} from '../../protocol/ast.ts';
import { notApplicable } from '../../base/errors.ts';
import { keyParameters, uniqueAttribute, uniqueParameter } from '../condition/keys.ts';
import type { PlanContext } from '../context.ts';
import { planSaveAnswer, type SaveAnswerPlan } from './save-answer.ts';
import { type NaturalKey, planNaturalKey } from './natural-key.ts';
import { checkRights, neededFor } from './rights.ts';
import { findDataclass, noSuchAttribute, relationNamed } from '../../model/lookup.ts';
import type { Column, ColumnType } from '../../schema/types.ts';

/** The key columns of a new row that only the database knows: generated ones, those it may write in another form, and all with a trigger. */
export function generatedKey(
  columns: readonly { readonly column: Column }[],
  dataclass: Dataclass,
): Column[] {
  const { key, table } = dataclass;
  const given = new Set(columns.map(({ column }) => column.name));
  if (table.beforeInsert === true) return key.map(({ column }) => column);
  const isReturned = !isInstead(dataclass, 'insert');
  return key
    .map(({ column }) => column)
    .filter(({ name, type }) => !given.has(name) || (isReturned && OWN_FORM.has(type.kind)));
}

/** Whether an INSTEAD OF trigger takes the rows of a change: one at a time, and nothing tells what becomes of their values. */
export function isInstead({ table }: Dataclass, change: 'insert' | 'update' | 'delete'): boolean {
  return table.instead?.includes(change) ?? false;
}

/** Types whose columns may hold another value, or another text, than the one that they are given. */
const OWN_FORM: ReadonlySet<ColumnType['kind']> = new Set(['timestamp', 'time', 'opaque']);

/** The plan of a save, for all requests of one shape. */
export interface SavePlan {
  readonly dataclass: Dataclass;
  readonly method: 'update' | 'insert';
  readonly atomic: boolean;
  readonly target: UrlTarget | null;
  readonly answer: SaveAnswerPlan;
  /** Whether only some of the saved entities are answered. */
  readonly filtered: boolean;
  /** Whether they are answered in an order of their own, not in that of the body. */
  readonly ordered: boolean;
  readonly asArray: boolean;
  readonly dryRun: boolean;
  /** The relations to many whose entities are deleted that the body does not list. */
  readonly replaced: ReadonlySet<Relation>;
  /** What finds entities without a key that are there already; null where these are created. */
  readonly naturalKey: NaturalKey | null;
  /** Whether one statement may find, lock and update an entity and read it again, and nothing else is to be done. */
  readonly isPlain: boolean;
}

/** The entities that a URL names by key, or one by a unique attribute. */
export interface UrlTarget {
  /** The unique attribute; null where it names keys. */
  readonly unique: string | null;
  readonly attributes: readonly StorageAttribute[];
  /** For each entity the values of the attributes; a single parameter may hold a list of plain keys. */
  readonly parameters: readonly (readonly ParameterRef[])[];
}

/** Plans a save. @throws ProtocolError for names that do not exist, a key that does not fit, what does not apply to a save, and mayNotDelete */
export function planSave(request: SaveRequest, context: PlanContext): SavePlan {
  const dataclass = findDataclass(context.model, request.dataclass);
  checkReplaced(request, dataclass);
  return planSaveOf(dataclass, request, context);
}

/** Plans the save of nested entities. @param relations the names of the relations that lead to them, from the URL's dataclass on */
export function planSaveBelow(
  request: SaveRequest,
  relations: readonly string[],
  context: PlanContext,
): SavePlan {
  let dataclass = findDataclass(context.model, request.dataclass);
  let below = request;
  for (const name of relations) {
    dataclass = relationNamed(dataclass, name).target;
    below = requestBelow(below, name);
  }
  return planSaveOf(dataclass, below, context);
}

function planSaveOf(dataclass: Dataclass, request: SaveRequest, context: PlanContext): SavePlan {
  const { method, atomic, asArray, dryRun } = request;
  const target = urlTarget(request.selector, dataclass);
  if (target !== null && method === 'insert') {
    throw notApplicable('A new entity has no key yet: $method=insert is not allowed with a key.');
  }
  const answer = planSaveAnswer(request, dataclass, context);
  const replaced = new Set(
    request.replace.flatMap(({ names: [name, ...more] }) =>
      name === undefined || more.length > 0 ? [] : [relationNamed(dataclass, name)],
    ),
  );
  return {
    dataclass,
    method,
    atomic,
    target,
    answer,
    filtered: request.filter !== null,
    ordered: request.orderBy.length > 0,
    asArray,
    dryRun,
    replaced,
    naturalKey: planNaturalKey(request.naturalKey, dataclass),
    isPlain:
      method === 'update' &&
      (target?.unique ?? null) === null &&
      replaced.size === 0 &&
      answer.related === null &&
      answer.inside === null &&
      // One statement can find a row, lock it, compare its stamp, and check all that a change may break.
      restrictedRelations(dataclass).length === 0 &&
      dataclass.table.updatesMore === undefined &&
      isFoundDirectly(dataclass, 'update'),
  };
}

/** Types of keys whose values have one text, whatever a client writes. */
const PLAIN_KEYS: ReadonlySet<ColumnType['kind']> = new Set(['integer', 'uuid']);

/** Whether a statement that changes rows of a dataclass can find them by key and stamp, and all of them may be changed. */
export function isFoundDirectly(dataclass: Dataclass, change: 'update' | 'delete'): boolean {
  const { table, key, stamp } = dataclass;
  return (
    neededFor(dataclass, change) === null &&
    isEngineStamp(stamp) &&
    table.kind === 'table' &&
    table.instead === undefined &&
    table.unlockable === undefined &&
    key.length > 0 &&
    key.every(
      ({ column, columnType }) => PLAIN_KEYS.has(column.type.kind) && columnType === column.type,
    ) &&
    // Of a key that several rows may have, no row is changed.
    isUnique(
      table,
      key.map(({ column }) => column.name),
    )
  );
}

/** The relations to one whose targets are some of the rows of their table: no foreign key tells whether a reference is among them. */
export function restrictedRelations(dataclass: Dataclass): Relation[] {
  return relationsOf(dataclass).filter(
    ({ kind, target }) => kind === 'relatedEntity' && target.where !== null,
  );
}

/** The request for the entities that a relation leads to: the parts of its lists that begin with the relation. */
function requestBelow(request: SaveRequest, name: string): SaveRequest {
  const { attributes, expand } = request;
  // An expanded relation is answered with all attributes.
  const all = expand
    .filter(({ names }) => names[0] === name)
    .map(({ position }) => ({ names: [], star: true, position }));
  return {
    ...request,
    selector: { kind: 'all' },
    filter: null,
    orderBy: [],
    attributes: attributes === null ? null : [...all, ...pathsBelow(attributes, name)],
    expand: pathsBelow(request.expand, name),
    replace: pathsBelow(request.replace, name),
    naturalKey: null,
  };
}

function pathsBelow<Path extends PathRef | AttributeNode>(
  paths: readonly Path[],
  name: string,
): Path[] {
  return paths.flatMap((path) => {
    const [first, ...names] = path.names;
    const isStar = 'star' in path && path.star;
    return first === name && (names.length > 0 || isStar) ? [{ ...path, names }] : [];
  });
}

function checkReplaced({ method, replace }: SaveRequest, dataclass: Dataclass): void {
  for (const { names, position } of replace) {
    const at = { within: '$replace', position };
    if (method === 'insert') {
      throw notApplicable(
        'New entities have no related entities yet: $replace is allowed with $method=update only.',
        at,
      );
    }
    let here = dataclass;
    for (const [index, name] of names.entries()) {
      const member = here.members.get(name);
      if (member === undefined) throw noSuchAttribute(here, name, at);
      const isLast = index === names.length - 1;
      if (!isRelation(member) || (isLast && !takesLists(member))) {
        const message = `${here.name}.${name} takes no list of entities to save: there is nothing to replace`;
        throw notApplicable(message, at);
      }
      here = member.target;
    }
    checkRights(here, 'delete');
  }
}

/** The entities that the selector of a URL names; null for all of the dataclass. @throws ProtocolError keyMismatch, noSuchAttribute, notApplicable */
export function urlTarget(selector: Selector, dataclass: Dataclass): UrlTarget | null {
  const byKey = (...parameters: readonly (readonly ParameterRef[])[]): UrlTarget => ({
    unique: null,
    attributes: dataclass.key,
    parameters,
  });
  switch (selector.kind) {
    case 'all':
      return null;
    case 'unique':
      return {
        unique: selector.attribute,
        attributes: [uniqueAttribute(selector.attribute, dataclass)],
        parameters: [[uniqueParameter(selector, dataclass)]],
      };
    case 'key':
      return byKey(keyParameters(selector.key, dataclass));
    case 'keys':
      return byKey(...selector.keys.map((key) => keyParameters(key, dataclass)));
    case 'keyList':
      return byKey(keyParameters({ kind: 'scalar', value: selector.list }, dataclass));
    case 'entitySet':
      throw notApplicable(
        `Nothing is saved by way of an entity set: name the entities by their keys, at /rest/${dataclass.name}.`,
      );
  }
}

/** The entity whose lock a request is about. */
export interface LockPlan {
  readonly dataclass: Dataclass;
  readonly target: UrlTarget;
  readonly action: LockAction;
  /** The stamp that the client has read; null where it does not say. */
  readonly stamp: ParameterRef | null;
}

/** Plans a lock. @throws ProtocolError for names that do not exist, and mayNotUpdate where the entity could not be changed under the lock */
export function planLock(
  { dataclass: name, selector, action, stamp }: LockRequest,
  model: Model,
): LockPlan {
  const dataclass = findDataclass(model, name);
  checkRights(dataclass, 'update');
  const target = urlTarget(selector, dataclass);
  if (target === null) throw new Error('a lock is for one entity');
  return { dataclass, target, action, stamp };
}

/** The plan of an upload to one image or BLOB, for all requests of one shape. */
export interface AttributeUploadPlan {
  readonly plan: SavePlan;
  readonly target: UrlTarget;
  readonly attribute: StorageAttribute;
}

/** Plans an upload to an image or BLOB (DECISIONS, "Updates"). */
export function planAttributeUpload(
  request: AttributeUploadRequest,
  context: PlanContext,
): AttributeUploadPlan {
  const dataclass = findDataclass(context.model, request.dataclass);
  const [name = ''] = request.attribute.names;
  const member = dataclass.members.get(name);
  const at = { within: 'the path', position: request.attribute.position };
  if (member === undefined) throw noSuchAttribute(dataclass, name, at);
  if (!isStored(member) || member.columnType.kind !== 'binary') {
    const message = `${dataclass.name}.${name} is not an image or BLOB: it is written by $method=update.`;
    throw notApplicable(message, at);
  }
  checkRights(dataclass, 'update');
  const plan = planSave(
    {
      kind: 'save',
      method: 'update',
      dataclass: dataclass.name,
      selector: request.selector,
      atomic: false,
      filter: null,
      orderBy: [],
      attributes: [{ names: [name], star: false, position: 1 }],
      expand: [],
      asArray: false,
      dryRun: false,
      replace: [],
      naturalKey: null,
    },
    context,
  );
  const { kind } = request.selector;
  if (plan.target === null || kind === 'keys' || kind === 'keyList') {
    throw notApplicable(`An upload names one entity: ${dataclass.name}(key)/${name}.`, at);
  }
  return { plan, target: plan.target, attribute: member };
}
