import { ProtocolError } from '../../base/errors.ts';
import type { Row } from '../../database/database.ts';
import type { Relation } from '../../model/types.ts';
import type { SavePlan } from '../../plan/write/save.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { KeyTexts } from '../convert/types.ts';
import type { Failure } from '../write/outcome.ts';
import { fetchChildren, type FetchedRows } from '../read/read.ts';
import { cellText, type StatementSource } from '../run.ts';
import type { SavedElement } from './save-elements.ts';
import type { PlanNode, SavedTree } from './save-trees.ts';

/** How a save ended, in the order of the body. */
export interface SaveResult {
  readonly outcomes: readonly SaveOutcome[];
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

/** How the save of one entity ended. */
export interface SaveOutcome {
  /** Null where it was saved. */
  readonly failure: Failure | null;
  /** Null where it is not known: of a new entity that was not saved, or whose key the database does not tell. */
  readonly key: KeyTexts | null;
  /** Whether it was created. */
  readonly isNew: boolean;
  /** The index of the entity's row among the fetched ones; -1 where it is not there or not asked for. */
  readonly row: number;
  /** Of a dry run: the entity's row without the save, laid out as the fetched ones; null where there is none. */
  readonly current?: Row | null;
}

/** An entity that was read again. */
type Shown = SavedElement & { readonly key: KeyTexts; readonly row: Row };

/** Reads, after the commit, which saved entities meet the URL's filter, their order, and what is related; together for one path of the bodies. */
export async function answerTrees(
  planNode: PlanNode,
  trees: readonly SavedTree[],
  values: readonly Literal[],
  source: StatementSource,
): Promise<SaveResult> {
  const result = await answerSaved(planNode.plan, trees, values, source);
  const relations = new Set(trees.flatMap(({ below }) => below.map(({ relation }) => relation)));
  const below: SaveResultBelow[] = [];
  for (const relation of relations) {
    const within: SavedTree[] = [];
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
  { plan: { answer }, below }: PlanNode,
  result: SaveResult,
  source: StatementSource,
): Promise<SaveResult> {
  const keys = result.outcomes.flatMap(({ key }) => (key === null ? [] : [key]));
  const rows = keys.length === 0 ? [] : await source.run(answer.own, { rows: keys });
  const current = new Map<KeyTexts, Row>();
  for (const row of rows) {
    const key = keys[Number(row[0])];
    if (key !== undefined && !current.has(key)) current.set(key, row);
  }
  const within: SaveResultBelow[] = [];
  for (const part of result.below) {
    const planNode = below(part.relation.name);
    within.push({ ...part, result: await withCurrentRows(planNode, part.result, source) });
  }
  const laidOut = (row: Row): Row =>
    answer.columns.map(({ query, at }) => (query === 'own' ? (row[at] ?? null) : null));
  const outcomes = result.outcomes.map((outcome): SaveOutcome => {
    const row = outcome.key === null ? undefined : current.get(outcome.key);
    return { ...outcome, current: row === undefined ? null : laidOut(row) };
  });
  return { ...result, outcomes, below: within };
}

/** The result for saved entities that are answered by their own rows alone; null for others. */
export function plainAnswer(
  {
    answer: {
      related,
      rows: { children },
      columns,
    },
    filtered,
  }: SavePlan,
  trees: readonly SavedTree[],
): SaveResult | null {
  if (related !== null || children.length > 0 || filtered) return null;
  const outcomes: SaveOutcome[] = [];
  const rows: Row[] = [];
  for (const { failure, key, row, change, below } of trees) {
    if (key === null || row === null || below.length > 0) return null;
    outcomes.push({ failure, key, isNew: change === 'create', row: rows.length });
    rows.push(columns.map(({ at }) => row[at] ?? null));
  }
  return { outcomes, fetched: { rows, children: [] }, globalStamp: '0', unread: null, below: [] };
}

/** Reads what is related to entities without those within them. */
async function answerSaved(
  plan: SavePlan,
  saved: readonly SavedElement[],
  values: readonly Literal[],
  source: StatementSource,
): Promise<Omit<SaveResult, 'below'>> {
  const shown = saved.filter(
    (element): element is Shown => element.key !== null && element.row !== null,
  );
  let answered: readonly Answered[];
  let children: FetchedRows['children'] = [];
  let unread: ProtocolError | null = null;
  try {
    answered = await answeredRows(plan, shown, values, source);
    const rows = answered.map(({ row }) => row);
    children = await fetchChildren(plan.answer.rows, rows, values, source);
  } catch (error) {
    // The entities are saved: a client that got an error would save them twice.
    if (!(error instanceof ProtocolError)) throw error;
    unread = error;
    answered = [];
  }
  const rowOf = new Map(answered.map(({ element }, at) => [element, at]));
  return {
    outcomes: saved.map((element) => {
      const { failure, key, change } = element;
      return { failure, key, isNew: change === 'create', row: rowOf.get(element) ?? -1 };
    }),
    fetched: { rows: answered.map(({ row }) => row), children },
    globalStamp: unread === null ? globalStampIn(shown[0]?.row ?? [], plan) : '0',
    unread,
  };
}

/** An entity with its row as it is answered. */
interface Answered {
  readonly element: SavedElement;
  readonly row: Row;
}

async function answeredRows(
  { answer: { columns, related }, filtered }: SavePlan,
  shown: readonly Shown[],
  values: readonly Literal[],
  source: StatementSource,
): Promise<Answered[]> {
  const joined = (element: Shown, added: Row | null): Answered => ({
    element,
    row: columns.map(({ query, at }) => (query === 'own' ? element.row[at] : added?.[at]) ?? null),
  });
  if (related === null || shown.length === 0) return shown.map((element) => joined(element, null));
  const found = await source.run(related, { values, rows: shown.map(({ key }) => key) });
  const met = new Set<Shown>();
  const answered = found.flatMap((row): Answered[] => {
    const element = shown[Number(row[0])];
    if (element === undefined || met.has(element)) return [];
    met.add(element);
    return [joined(element, row)];
  });
  if (filtered) return answered;
  // An entity that was deleted since was saved all the same.
  const gone = shown.filter((element) => !met.has(element));
  return [...answered, ...gone.map((element) => joined(element, null))];
}

/** The global stamp when an entity was read; 0 where the answer does not need it. */
function globalStampIn(row: Row, { answer: { globalStamp, own } }: SavePlan): string {
  return (globalStamp === null ? null : cellText(own, row, globalStamp)) ?? '0';
}
