import { MOST_CALLED_ROWS } from '../../database/database.ts';
import { planCallQuery, type PlannedCall } from '../../plan/call/call-query.ts';
import type { CallPlan } from '../../plan/call/call.ts';
import type { Dialect, Statement } from '../../sql/dialect.ts';
import { printEntitySet, type PrintedEntitySet } from '../sets/print-entity-set.ts';

/** A plan of a call with its statements printed: what is kept for all requests of one shape. */
export interface PrintedCall {
  readonly plan: CallPlan;
  readonly selection: PrintedEntitySet | null;
  readonly answer: PrintedEntitySet | null;
  /** The statement for as many parameters as a client gives, printed when it is needed first. */
  readonly statementFor: (given: number) => PrintedCallStatement;
}

/** The statement of a call, and where its values come from. */
export interface PrintedCallStatement extends PlannedCall {
  readonly statement: Statement;
}

/** Prints what all calls of a shape share. */
export function printCall(plan: CallPlan, dialect: Dialect): PrintedCall {
  const { selection, answer, called } = plan;
  const statements = new Map<number, PrintedCallStatement>();
  return {
    plan,
    selection: selection === null ? null : printEntitySet(selection, dialect),
    answer: answer === null ? null : printEntitySet(answer, dialect),
    statementFor: (given) => {
      const known = statements.get(given);
      if (known !== undefined) return known;
      // One more than there may be tells that there are too many.
      const most = MOST_CALLED_ROWS + 1;
      const planned = planCallQuery(called, given, selection?.dataclass ?? null, most);
      const printed = { ...planned, statement: dialect.printCall(planned.query) };
      statements.set(given, printed);
      return printed;
    },
  };
}
