import { TEXT } from '../../schema/type-rules.ts';
import { plainStatement, type StatementParameter } from '../../sql/ir/statement.ts';
import type { DriverCommand } from '../driver.ts';
import type { ContextLimits, SessionContext } from '../session-context.ts';

/** A value is kept as an sql_variant, which holds 8,000 bytes. */
export const CONTEXT_LIMITS: ContextLimits = { longest: 4000, zeros: true };

const PARAMETER: StatementParameter = { kind: 'rowField', index: 0, type: TEXT };

/**
 * Sets the values of SESSION_CONTEXT, all in one batch. They stay until they are set again, which `@read_only` would prevent for the next user
 * (https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-set-session-context-transact-sql).
 */
export function setContextCommand(context: SessionContext): DriverCommand {
  const calls = Array.from(
    context,
    (_, at) => `EXEC sp_set_session_context @key = @p${2 * at + 1}, @value = @p${2 * at + 2}`,
  );
  return {
    statement: {
      ...plainStatement(calls.join('; ')),
      parameters: [...context].flatMap(() => [PARAMETER, PARAMETER]),
    },
    values: [...context].flat(),
  };
}
