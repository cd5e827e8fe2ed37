import { isProtocolError } from '../../base/errors.ts';
import { ADMIN } from '../../base/principal.ts';
import type { Dataclass } from '../../model/types.ts';
import type { SavePlan } from '../../plan/write/save.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { ColumnType } from '../../schema/types.ts';
import { lockName } from '../../state/lock/keeper.ts';
import { isSameKey } from '../body/entity-key.ts';
import { isBytes, isSameValue } from '../convert/stored-value.ts';
import type { ColumnValue, GivenValue, PlannedEntity, RefusedEntity } from '../convert/types.ts';
import { bindStatement, readingFrom, sourceOn, type Execution } from '../run.ts';
import { type Attempt, Refused, type WriteContext } from '../write/attempt.ts';
import { isFailed, type Failed, type OrFailed } from '../write/outcome.ts';
import {
  allOrNone,
  dryRun,
  isCompound,
  rollingBack,
  writeAllOrNone,
  writeIndependently,
} from '../write/transactions.ts';
import { WriteReport } from '../write/write-report.ts';
import { BodyNames } from './body-names.ts';
import { assignedColumn, cells, refusable } from './rows/current-rows.ts';
import { answerTrees, plainAnswer, withCurrentRows, type SaveResult } from './save-answer.ts';
import { saveTrees, type PlanNode, type SavedTree } from './save-trees.ts';

/** An object of the body as it was read: an entity to save, or why it is refused. */
type ReadEntity = PlannedEntity | RefusedEntity;

/** Saves the entities of a body, and those within them. With `$atomic` all are saved or none (§4.13); otherwise each stands or falls alone. */
export async function runSave(
  planNode: PlanNode,
  entities: readonly ReadEntity[],
  values: readonly Literal[],
  execution: Execution,
): Promise<SaveResult> {
  const { plan } = planNode;
  const { dataclass, target, atomic } = plan;
  const { related } = plan.answer;
  const unique = target?.unique ?? null;
  const context: WriteContext = {
    kind: 'save',
    dataclass,
    model: execution.model,
    attributes: target?.attributes ?? dataclass.key,
    unique,
    isInBody: true,
    atomic,
    showsColumns: execution.activity.principal.roles.includes(ADMIN),
    report: plan.dryRun ? null : WriteReport.of(execution, { kind: 'save', dataclass, unique }),
    ...namedBy(entities, plan),
  };
  // A filter that cannot be answered is refused before anything is saved.
  const { database, activity } = execution;
  if (related !== null) {
    bindStatement(related, { values }, database.dialect, activity.principal.claims);
  }
  const source = readingFrom(execution, { fresh: true });
  if (plan.dryRun) {
    const result = await dryRunSave(planNode, entities, values, context, rollingBack(execution));
    return withCurrentRows(planNode, result, source);
  }
  const updated = await updateDirectly(plan, entities, context, execution);
  if (updated !== null && !(updated instanceof Refused)) {
    const trees = [withOwnKey(updated, entities[0], unique)];
    return plainAnswer(plan, trees) ?? answerTrees(planNode, trees, values, source);
  }
  const work = (some: readonly ReadEntity[], attempt: Attempt): Promise<readonly SavedTree[]> =>
    updated === null ? saveTrees(some, planNode, attempt) : Promise.reject(updated);
  const saved: readonly OrFailed<SavedTree>[] = atomic
    ? await writeAllOrNone(entities, context, execution, (attempt) => work(entities, attempt))
    : await writeIndependently(entities, context, execution, work);
  const trees = saved.map((one, at) => withOwnKey(savedTree(one), entities[at], unique));
  return answerTrees(planNode, trees, values, source);
}

/** The rows that a body with nested entities names. */
function namedBy(
  entities: readonly ReadEntity[],
  { dataclass, target, dryRun }: SavePlan,
): Pick<WriteContext, 'body'> {
  const planned = entities.filter((entity): entity is PlannedEntity => 'nested' in entity);
  if (!planned.some(isCompound)) return {};
  // The value of a unique attribute in the URL is not a key.
  const keyed =
    (target?.unique ?? null) === null
      ? planned
      : planned.map((entity) => ({ ...entity, key: entity.ownKey }));
  return { body: new BodyNames(keyed, dataclass, !dryRun) };
}

/** Saves entities, and reads their whole answer, in a transaction that is rolled back (DECISIONS, "Updates"). */
async function dryRunSave(
  planNode: PlanNode,
  entities: readonly ReadEntity[],
  values: readonly Literal[],
  context: WriteContext,
  execution: Execution,
): Promise<SaveResult> {
  const work = async (
    some: readonly ReadEntity[],
    refused: readonly Failed[],
    attempt: Attempt,
  ): Promise<SaveResult> => {
    const saved = [...(await saveTrees(some, planNode, attempt)), ...refused]
      .sort((a, b) => a.index - b.index)
      .map((one, at) => withOwnKey(savedTree(one), entities[at], context.unique));
    return answerTrees(planNode, saved, values, attempt.source);
  };
  return context.atomic
    ? allOrNone(context, execution, (attempt) => work(entities, [], attempt))
    : dryRun(entities, context, execution, work);
}

function savedTree(saved: OrFailed<SavedTree>): SavedTree {
  if (!isFailed(saved)) return saved;
  const { index, key, failure, row = null } = saved;
  return { index, key, failure, row, change: null, isWritten: false, below: [] };
}

/** Takes away the key of an entity that was not found by a unique attribute of the URL: it is not known. */
function withOwnKey(
  saved: SavedTree,
  entity: ReadEntity | undefined,
  unique: string | null,
): SavedTree {
  const isAddress = unique !== null && saved.key !== null && saved.key === entity?.key;
  return isAddress ? { ...saved, key: null } : saved;
}

/**
 * Updates one entity by one statement, which finds it by key and stamp and reads it again: for an entity as the client read it with other values for
 * plain columns, on which nothing depends. Returns why the database refused it; null where that is not possible, or no such row was found.
 */
async function updateDirectly(
  { isPlain, answer }: SavePlan,
  entities: readonly ReadEntity[],
  context: WriteContext,
  execution: Execution,
): Promise<SavedTree | Refused | null> {
  const [entity, ...others] = entities;
  if (entity === undefined || others.length > 0 || 'error' in entity) return null;
  if (!isPlain || context.report !== null) return null;
  const { dataclass } = context;
  const { database, locks, statements, activity } = execution;
  const { index, key, stamp } = entity;
  const columns = plainColumns(entity, dataclass);
  if (key === null || stamp === null || columns === null) return null;
  const name = lockName(dataclass.table, key);
  const [standing] = locks === null ? ['own'] : await locks.table.standings([name], locks.session);
  if (standing !== 'own' && standing !== 'free') return null;
  const unlocked = standing === 'free' ? database.dialect.locks : null;
  const assigned = columns.map(assignedColumn);
  // Text may have characters that a column's code page lacks.
  const bare = columns.map(({ column }) => column);
  if (statements.unencodable(dataclass, bare) !== null) return null;
  const statement = statements.updateDirectly(dataclass, assigned, answer, unlocked !== null);
  if (statement === null) return null;
  const { signal, observer, principal } = activity;
  const source = sourceOn(database, execution, { signal, observer, principal, batch: true });
  const attempt: Attempt = { source, statements, locks, oneByOne: false, ...context };
  const lock = unlocked === null ? [] : [unlocked.given(name)];
  const rows = [[...key, stamp, ...cells(columns), ...lock]];
  try {
    const items = [{ element: { index, key }, columns }];
    const [row] = await refusable(items, 'update', attempt, () => source.run(statement, { rows }));
    if (row === undefined) return null;
    return { index, key, failure: null, row, change: 'update', isWritten: true, below: [] };
  } catch (error) {
    const cause = error instanceof Refused ? error.explained : error;
    // Of two statements it is known which fails: the one that writes the values, or the one that computes of them.
    if (isProtocolError(cause, 'deadlock') || isProtocolError(cause, 'notComputable')) return null;
    if (error instanceof Refused) return error;
    throw error;
  }
}

/** The columns that an entity changes, in table order; null where their values have to be compared with the row first. */
function plainColumns(
  { key, ownKey, given, related, nested, denied }: PlannedEntity,
  dataclass: Dataclass,
): readonly ColumnValue[] | null {
  if (key === null || denied !== null || related.length > 0 || nested.length > 0) return null;
  if (ownKey !== null && !isSameKey(ownKey, key, dataclass)) return null;
  const parts = new Map(dataclass.key.map(({ column }, at) => [column.name, key[at] ?? null]));
  const columns = new Map<string, ColumnValue>();
  for (const value of given) {
    const { name } = value.column;
    const part = parts.get(name);
    // Clients send back what they read, the key as well.
    if (part !== undefined && isSameValue(part, value.value, value.type)) continue;
    if (part !== undefined || columns.has(name) || !isPlainValue(value, dataclass)) return null;
    columns.set(name, value);
  }
  if (columns.size === 0) return null;
  return [...columns.values()].sort((a, b) => a.column.position - b.column.position);
}

/** Types whose values the engine compares as {@link isSameValue} does, or more loosely. */
const COMPARED: ReadonlySet<ColumnType['kind']> = new Set([
  'boolean',
  'integer',
  'decimal',
  'uuid',
  'date',
  'timestamp',
  'time',
  'text',
]);

/** Whether a value is an attribute's own, which its column can be given whatever it holds. */
function isPlainValue(given: GivenValue, { stamp, timestamp }: Dataclass): boolean {
  const { column, type, value, readOnly, dangling, refusal, filled, leading, clearing } = given;
  const stampColumn =
    stamp.kind === 'counter' || stamp.kind === 'rowversion' ? stamp.column.name : null;
  return (
    readOnly === null &&
    !column.computed &&
    !column.identity &&
    column.name !== stampColumn &&
    column.name !== timestamp?.name &&
    (dangling ?? refusal ?? filled ?? leading ?? clearing) === undefined &&
    !isBytes(value) &&
    (value !== null || column.nullable) &&
    column.expression === undefined &&
    type.kind === column.type.kind &&
    COMPARED.has(type.kind) &&
    !(type.kind === 'text' && type.padded)
  );
}
