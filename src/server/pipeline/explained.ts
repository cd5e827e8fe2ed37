import { ProtocolError } from '../../base/errors.ts';
import type { PlannedStatement } from '../../run/read/plan-statements.ts';
import {
  enginePlans,
  fittedStatements,
  keepingStatements,
  querySteps,
} from '../../run/read/query-path.ts';
import type { RequestContext, StatementRun } from '../../base/observe/observer.ts';
import { planSelected } from '../../plan/read/selection.ts';
import type { ReadPlan } from '../../plan/condition/types.ts';
import type { Explain } from '../../protocol/ast.ts';
import {
  hiddenPlan,
  queryPathField,
  queryPlanFields,
  sqlFields,
  withFields,
} from '../../answer/query-plan-writer.ts';
import type { OperationContext } from './operation.ts';

export interface Explained {
  /** What it is run for: its observer keeps the statements that ran. */
  readonly activity: RequestContext;
  /** Adds the explanation to an answer, before its other fields. @throws ProtocolError of the database that is asked for its plan */
  readonly explain: (
    answer: string,
    plan: Pick<ReadPlan, 'description' | 'dataclass'>,
    statements: readonly PlannedStatement[],
  ) => Promise<string>;
}

/** Describes what a read selects, as `$queryplan` does, without values; null for other requests, and for a read that cannot be planned. */
export function describedQuery({ ast, values, caller, services }: OperationContext): string | null {
  if (ast.kind !== 'read' && ast.kind !== 'entitySet') return null;
  const read = ast.kind === 'read' ? ast : ast.read;
  const { database, settings } = services;
  const planning = { ...settings, model: caller.audience.model, printer: database.dialect };
  try {
    const { description } = planSelected({ ...read, explain: 'plan' }, planning);
    return description === null ? null : hiddenPlan(description, values.length);
  } catch {
    return null;
  }
}

/**
 * Explains a query (§4.2 rule 5 and 7). Statements name what is hidden from others, and are shown only to users who see the whole model.
 * @throws ProtocolError notApplicable when the configuration does not allow it
 */
export function explained(
  wanted: Explain,
  { values, signal, observer, principal, caller, services }: OperationContext,
): Explained {
  const { database, settings } = services;
  if (settings.queryPlans === 'none') {
    const message = `$query${wanted} is not available: query plans are turned off.`;
    throw new ProtocolError('notApplicable', message);
  }
  const runs: StatementRun[] = [];
  const isSqlShown = settings.queryPlans === 'sql' && caller.audience.key === '';
  const execution = { database, activity: { signal, observer, principal } };
  return {
    activity: { signal, principal, observer: keepingStatements(observer, runs) },
    explain: async (answer, { description, dataclass }, statements) => {
      if (description === null) throw new Error('the query was planned without a description');
      const fitted = fittedStatements(statements, values, execution);
      let fields = queryPlanFields(description, values);
      if (wanted === 'path') fields += queryPathField(querySteps(runs, fitted, dataclass.name));
      if (isSqlShown) fields += sqlFields(fitted, await enginePlans(fitted, values, execution));
      return withFields(answer, fields);
    },
  };
}
