import { attempted, ProtocolError } from '../../base/errors.ts';
import { ADMIN } from '../../base/principal.ts';
import type { Row } from '../../database/database.ts';
import type { Relation } from '../../model/types.ts';
import { KEYED_OFFSET } from '../../plan/read/projection.ts';
import type { SavePlan } from '../../plan/write/save.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { KeyTexts, PlannedEntity, ReadEntity } from '../convert/types.ts';
import { fetchChildren, type FetchedRows } from '../read/read.ts';
import {
  bindStatement,
  cellText,
  type Execution,
  readingFrom,
  type StatementSource,
} from '../run.ts';
import { TakenKey, type WriteContext } from '../write/attempt.ts';
import type { Outcome } from '../write/outcome.ts';
import { dryRun, reportOn, writeElements } from '../write/transactions.ts';
import { inBodyOrder, isCompound } from '../write/units.ts';
import { BodyNames } from './body-names.ts';
import { readStale } from './save-elements.ts';
import { type PlanNode, saveTrees } from './save-trees.ts';
import { directUpdate } from './update-directly.ts';

/** Saves the entities of a body, and those within them. With `$atomic` all are saved or none (§4.13); otherwise each stands or falls alone. */
export async function runSave(
  planNode: PlanNode,
  entities: readonly ReadEntity[],
  values: readonly Literal[],
  execution: Execution,
): Promise<SaveResult> {
  const { plan } = planNode;
  const { dataclass, target, atomic, naturalKey } = plan;
  const { related } = plan.answer;
  const unique = target?.unique ?? null;
  const { database, activity } = execution;
  const { principal } = activity;
  const context: WriteContext = {
    kind: 'save',
    dataclass,
    model: execution.model,
    attributes: target?.attributes ?? dataclass.key,
    unique,
    isInBody: true,
    atomic,
    showsColumns: principal.roles.includes(ADMIN),
    report: plan.dryRun ? null : reportOn(activity, { kind: 'save', dataclass, unique }),
    ...namedBy(entities, plan),
    ...(naturalKey === null ? {} : { takenKey: new TakenKey(naturalKey) }),
  };
  // A filter that cannot be answered is refused before anything is saved.
  if (related !== null) {
    bindStatement(related, { values }, database.dialect, principal.claims);
  }
  const source = readingFrom(execution, { fresh: true });
  if (plan.dryRun) {
    const result = await dryRun(entities, context, execution, async (some, refused, attempt) => {
      const saved = [...(await saveTrees(some, planNode, attempt)), ...refused].sort(inBodyOrder);
      return answerTrees(planNode, withOwnKeys(saved, entities, unique), values, attempt.source);
    });
    return withCurrentRows(planNode, result, source);
  }
  const areExisting = entities.every(({ key }) => key !== null);
  const direct = areExisting ? await directUpdate(plan, entities, context, execution) : null;
  const saved = await writeElements(
    entities,
    context,
    execution,
    (some, attempt) => saveTrees(some, planNode, attempt),
    direct,
  );
  const trees = withOwnKeys(saved, entities, unique);
  // The others are saved: a client that got an error would save them twice.
  await attempted(() => readStale(trees, plan, source));
  return answerTrees(planNode, trees, values, source);
}

/** The rows that a body names which nests entities or finds them by a natural key. */
function namedBy(
  entities: readonly ReadEntity[],
  { dataclass, target, naturalKey, dryRun }: SavePlan,
): Pick<WriteContext, 'body'> {
  const planned = entities.filter((entity): entity is PlannedEntity => 'nested' in entity);
  if (naturalKey === null && !planned.some(isCompound)) return {};
  // The value of a unique attribute in the URL is not a key.
  const keyed =
    (target?.unique ?? null) === null
      ? planned
      : planned.map((entity) => ({ ...entity, key: entity.ownKey }));
  return { body: new BodyNames(keyed, dataclass, !dryRun) };
}

/** Takes away the keys of entities that were not found by a unique attribute of the URL: they are not known. */
function withOwnKeys(
  saved: readonly Outcome[],
  entities: readonly ReadEntity[],
  unique: string | null,
): readonly Outcome[] {
  if (unique === null) return saved;
  return saved.map((one, at) => {
    const isAddress = one.key !== null && one.key === entities[at]?.key;
    return isAddress ? { ...one, key: null } : one;
  });
}

/** How a save ended, in the order of the body. */
export interface SaveResult {
  readonly outcomes: readonly Outcome[];
  /** For each outcome the index of its row among the fetched ones; -1 where it is not there or not asked for. */
  readonly rowOf: readonly number[];
  /** Of a dry run: for each outcome its row without the save, laid out as the fetched ones; null where there is none. */
  readonly current?: readonly (Row | null)[];
  readonly fetched: FetchedRows;
  readonly globalStamp: string;
  /** Why the saved entities cannot be shown; null where they can. They are saved all the same. */
  readonly unread: ProtocolError | null;
  /** The entities that were saved along with them, by relation. */
  readonly below: readonly SaveResultBelow[];
}

/** How the save of entities ended that are nested under a relation. */
export interface SaveResultBelow {
  readonly relation: Relation;
  readonly result: SaveResult;
  /** The range of its outcomes for each entity, by the index of the entity's outcome. */
  readonly spans: ReadonlyMap<number, { readonly from: number; readonly end: number }>;
}

/** Reads, after the commit, which saved entities meet the URL's filter, their order, and what is related; together for one path of the bodies. */
export async function answerTrees(
  planNode: PlanNode,
  trees: readonly Outcome[],
  values: readonly Literal[],
  source: StatementSource,
): Promise<SaveResult> {
  const result = await answerSaved(planNode.plan, trees, values, source);
  const relations = new Set<Relation>();
  for (const tree of trees) for (const { relation } of tree.below) relations.add(relation);
  const below: SaveResultBelow[] = [];
  for (const relation of relations) {
    const within: Outcome[] = [];
    const spans = new Map<number, { from: number; end: number }>();
    for (const [at, tree] of trees.entries()) {
      const part = tree.below.find((candidate) => candidate.relation === relation);
      if (part === undefined) continue;
      spans.set(at, { from: within.length, end: within.length + part.elements.length });
      for (const element of part.elements) within.push(element);
    }
    const inner = await answerTrees(planNode.below(relation.name), within, [], source);
    below.push({ relation, result: inner, spans });
  }
  return { below, ...result };
}

/** Adds to the result of a dry run the rows as they are now, read by `source` after the rollback: clients save next with their stamps. */
export async function withCurrentRows(
  { plan, below }: PlanNode,
  result: SaveResult,
  source: StatementSource,
): Promise<SaveResult> {
  const keys = result.outcomes.flatMap(({ key }) => (key === null ? [] : [key]));
  const rows = keys.length === 0 ? [] : await source.run(plan.answer.own, { rows: keys });
  const found = new Map<KeyTexts, Row>();
  for (const row of rows) {
    const key = keys[Number(row[0])];
    if (key !== undefined && !found.has(key)) found.set(key, row);
  }
  const within: SaveResultBelow[] = [];
  for (const part of result.below) {
    const planNode = below(part.relation.name);
    within.push({ ...part, result: await withCurrentRows(planNode, part.result, source) });
  }
  const current = result.outcomes.map(({ key }): Row | null => {
    const row = key === null ? undefined : found.get(key);
    return row === undefined ? null : laidOut(row, null, plan);
  });
  return { ...result, current, below: within };
}

/** Reads what is related to entities without those within them. */
async function answerSaved(
  plan: SavePlan,
  saved: readonly Outcome[],
  values: readonly Literal[],
  source: StatementSource,
): Promise<Omit<SaveResult, 'below'>> {
  const rowOf = saved.map(() => -1);
  let rows: Row[] = [];
  let children: FetchedRows['children'] = [];
  let unread: ProtocolError | null = null;
  try {
    for (const { at, row } of await answeredRows(plan, saved, values, source)) {
      rowOf[at] = rows.length;
      rows.push(row);
    }
    children = await fetchChildren(plan.answer.rows, rows, values, source);
  } catch (error) {
    // The entities are saved: a client that got an error would save them twice.
    if (!(error instanceof ProtocolError)) throw error;
    unread = error;
    rows = [];
    rowOf.fill(-1);
  }
  return {
    outcomes: saved,
    rowOf,
    fetched: { rows, children },
    globalStamp: unread === null ? globalStampIn(saved, plan) : '0',
    unread,
  };
}

/** An entity by its place among the saved ones, with its row as it is answered. */
interface Answered {
  readonly at: number;
  readonly row: Row;
}

async function answeredRows(
  plan: SavePlan,
  saved: readonly Outcome[],
  values: readonly Literal[],
  source: StatementSource,
): Promise<readonly Answered[]> {
  const { related } = plan.answer;
  const shown: Answered[] = [];
  const keys: KeyTexts[] = [];
  for (const [at, { key, row }] of saved.entries()) {
    if (key === null || row === null) continue;
    shown.push({ at, row: related === null ? laidOut(row, null, plan) : row });
    keys.push(key);
  }
  if (related === null || shown.length === 0) return shown;
  const joined = ({ at, row }: Answered, added: Row | null): Answered => {
    return { at, row: laidOut(row, added, plan) };
  };
  const met = new Set<Answered>();
  const answered: Answered[] = [];
  for (const row of await source.run(related, { values, rows: keys })) {
    const element = shown[Number(row[0])];
    if (element === undefined || met.has(element)) continue;
    met.add(element);
    answered.push(joined(element, row));
  }
  if (plan.filtered) return answered;
  // An entity that was deleted since was saved all the same.
  const gone = shown.filter((element) => !met.has(element));
  return [...answered, ...gone.map((element) => joined(element, null))];
}

/** A row as it is answered, of its own columns and of those of related entities; null where there are none. */
function laidOut(own: Row, related: Row | null, { answer }: SavePlan): Row {
  const { columns } = answer;
  if (answer.related === null) return own.slice(KEYED_OFFSET, KEYED_OFFSET + columns.length);
  return columns.map(({ query, at }) => (query === 'own' ? own[at] : related?.[at]) ?? null);
}

/** The global stamp when the entities were read; 0 where the answer does not need it. */
function globalStampIn(
  saved: readonly Outcome[],
  { answer: { globalStamp, own } }: SavePlan,
): string {
  if (globalStamp === null) return '0';
  const shown = saved.find(({ key, row }) => key !== null && row !== null);
  return cellText(own, shown?.row ?? [], globalStamp) ?? '0';
}
