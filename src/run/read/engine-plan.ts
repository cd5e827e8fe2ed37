import { plainStatement } from '../../sql/statement.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { PrintedStatement } from './printed-statements.ts';
import { fittedTo, readingFrom, type Execution } from '../run.ts';

/** What the engine expects to do for a statement. */
export interface EnginePlan {
  readonly statement: PrintedStatement;
  /** As the engine tells it: JSON text. */
  readonly json: string;
}

/** The statements as they run with the values of a request: some are printed for values that their types cannot hold. */
export function fittedStatements(
  statements: readonly PrintedStatement[],
  values: readonly Literal[],
  { database: { dialect }, activity }: Pick<Execution, 'database' | 'activity'>,
): PrintedStatement[] {
  const given = { values, claims: activity.principal.claims };
  return statements.map((printed) => ({
    ...printed,
    statement: fittedTo(printed.statement, given, dialect),
  }));
}

/**
 * Asks the engine what it expects to do for statements, without running them. Those that are given keys are asked about with none.
 * @param statements as {@link fittedStatements} makes them
 * @returns null where the engine does not tell
 * @throws ProtocolError what the database throws
 */
export async function enginePlans(
  statements: readonly PrintedStatement[],
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
