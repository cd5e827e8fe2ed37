import { ProtocolError } from '../../base/errors.ts';
import type { PlannedStatement } from '../../run/read/plan-statements.ts';
import {
  enginePlans,
  fittedStatements,
  keepingStatements,
  querySteps,
} from '../../run/read/query-path.ts';
import type { Activity, StatementRun } from '../../base/observe/observer.ts';
import type { PlanDescription } from '../../plan/read/description.ts';
import type { Explain } from '../../protocol/ast.ts';
import {
  queryPathField,
  queryPlanFields,
  sqlFields,
  withFields,
} from '../../answer/query-plan-writer.ts';
import type { OperationContext } from './operation.ts';

/** The plan of a query, as far as it is told. */
interface ToldPlan {
  readonly description: PlanDescription | null;
  readonly dataclass: { readonly name: string };
}

/** How a query is run that may be told of. */
export interface Explaining {
  /** What it is run for. */
  readonly activity: Activity;
  /**
   * The answer with what is told of the query, before its other fields.
   * @throws ProtocolError what the database throws that is asked for its plan
   */
  readonly told: (
    answer: string,
    plan: ToldPlan,
    statements: () => readonly PlannedStatement[],
  ) => Promise<string>;
}

/**
 * What a request wants to be told of its query (§4.2 rule 5 and 7). The statements are told only to those who see everything: they name
 * what is hidden from others.
 * @param explain left out where it wants nothing
 * @throws ProtocolError notApplicable where the configuration says that nothing is told
 */
export function explaining(explain: Explain | undefined, context: OperationContext): Explaining {
  const { values, signal, observer, principal, caller, services } = context;
  const activity = { signal, observer, principal };
  const { audience } = caller;
  const { database, settings } = services;
  const { queryPlans } = settings;
  if (explain === undefined) return { activity, told: (answer) => Promise.resolve(answer) };
  if (queryPlans === 'none') {
    throw new ProtocolError(
      'notApplicable',
      `$query${explain} does not apply here: this gateway tells nothing of its queries.`,
    );
  }
  const runs: StatementRun[] = [];
  const isSqlTold = queryPlans === 'sql' && audience.key === '';
  const heard: Activity = { ...activity, observer: keepingStatements(activity.observer, runs) };
  return {
    activity: heard,
    told: async (answer, { description, dataclass }, statements) => {
      if (description === null) throw new Error('the query was planned without a description');
      const ran = [...runs];
      const execution = { database, activity };
      const printed = fittedStatements(statements(), values, execution);
      const fields = [queryPlanFields(description, values)];
      if (explain === 'path') fields.push(queryPathField(querySteps(ran, printed, dataclass.name)));
      if (isSqlTold) {
        fields.push(sqlFields(printed, await enginePlans(printed, values, execution)));
      }
      return withFields(answer, fields.join(''));
    },
  };
}
