import {
  overriding,
  type RequestObserver,
  type StatementRun,
} from '../../base/observe/observer.ts';
import type { PlannedStatement } from './plan-statements.ts';
import { plainStatement } from '../../sql/ir/statement.ts';
import type { Literal } from '../../protocol/ast.ts';
import { type Execution, fittedTo, readingFrom } from '../run.ts';

/** A statement of a query as it ran, with those that fetched what is related to its rows (DECISIONS, "`$querypath`"). */
export interface QueryStep {
  /** What it was for, in the names of the API. */
  readonly description: string;
  readonly milliseconds: number;
  /** How many rows it answered; null where it failed and was tried again. */
  readonly rows: number | null;
  readonly steps: readonly QueryStep[];
}

/** An observer that hears what another one does, and keeps the statements. */
export function keepingStatements(
  observer: RequestObserver,
  kept: StatementRun[],
): RequestObserver {
  return overriding(observer, {
    statementRun: (statement) => {
      kept.push(statement);
      observer.statementRun(statement);
    },
  });
}

/** The statements of a query on this dataclass that ran, as the query's steps, in the order in which they ended. */
export function querySteps(
  runs: readonly StatementRun[],
  statements: readonly PlannedStatement[],
  dataclass: string,
): readonly QueryStep[] {
  const top: QueryStep[] = [];
  /** The steps below each printed statement that ran, by its path. */
  const below = new Map<string, QueryStep[]>();
  const left = new Set(statements);
  for (const { name, milliseconds, rows } of runs) {
    const named = statements.filter(({ statement }) => statement.name === name);
    // Equal statements ran one for each; one that ran more often was asked in parts, or again.
    const printed = named.find((one) => left.has(one)) ?? named.at(-1);
    if (printed !== undefined) left.delete(printed);
    const steps: QueryStep[] = [];
    const step = { description: descriptionOf(printed, dataclass), milliseconds, rows, steps };
    const path = printed?.path ?? [];
    const above = path.length === 0 ? undefined : below.get(pathId(path.slice(0, -1)));
    (above ?? top).push(step);
    if (printed !== undefined && isAbove(printed)) below.set(pathId(path), steps);
  }
  return top;
}

/** Whether others fetch what is related to the rows of a statement. */
function isAbove({ role }: PlannedStatement): boolean {
  return role === 'page' || role === 'entity' || role === 'related';
}

function pathId(path: PlannedStatement['path']): string {
  return path.map(({ index }) => index).join('.');
}

function descriptionOf(printed: PlannedStatement | undefined, dataclass: string): string {
  if (printed === undefined) return 'the global stamp';
  switch (printed.role) {
    case 'entity':
      return `the entity of ${dataclass}`;
    case 'page':
      return `the page of ${dataclass}`;
    case 'origin':
      return 'whether the entity in the path exists';
    case 'count':
      return `how many entities of ${dataclass} there are`;
    case 'groups':
      return `the groups of ${dataclass}`;
    case 'checkedGroups':
      return `the groups of ${dataclass}, without what is no number`;
    case 'groupCount':
      return `how many groups of ${dataclass} there are`;
    case 'keys':
      return `the keys of ${dataclass}`;
    case 'saved':
      return `the keys of ${dataclass}, to make the entity set again`;
    case 'narrowing':
      return 'which entities of the entity set stay, and in which order';
    case 'related':
      return printed.path.map(({ field, dataclass: name }) => field ?? name).join('.');
    case 'target':
    case 'call':
    case 'values':
    case 'bound':
    case 'deleted':
    case 'unmet':
    case 'changed':
    case 'slice':
    case 'digested':
      throw new Error(`a query of entities has no statement for ${printed.role}`);
  }
}

/** What the engine expects to do for a statement. */
export interface EnginePlan {
  readonly statement: PlannedStatement;
  /** As the engine tells it: JSON text. */
  readonly json: string;
}

/** The statements as they run with the values of a request: some are printed for values that their types cannot hold. */
export function fittedStatements(
  statements: readonly PlannedStatement[],
  values: readonly Literal[],
  { database: { dialect }, activity }: Pick<Execution, 'database' | 'activity'>,
): PlannedStatement[] {
  const given = { values, claims: activity.principal.claims };
  return statements.map((printed) => ({
    ...printed,
    statement: fittedTo(printed.statement, given, dialect),
  }));
}

/** Asks the engine for its plans, without running the statements; those that take keys are asked about with none. Null where the engine has none. */
export async function enginePlans(
  statements: readonly PlannedStatement[],
  values: readonly Literal[],
  execution: Pick<Execution, 'database' | 'activity'>,
): Promise<EnginePlan[] | null> {
  const { explain } = execution.database.dialect;
  if (explain === null) return null;
  const source = readingFrom(execution);
  const plans: EnginePlan[] = [];
  for (const printed of statements) {
    const { parameters, text } = printed.statement;
    const statement = { ...plainStatement(explain(text)), parameters };
    const [row] = await source.run(statement, { values });
    const json = row?.[0];
    plans.push({ statement: printed, json: typeof json === 'string' ? json : 'null' });
  }
  return plans;
}
