import { contextKeys, type DatabaseWithContext } from '../../config/settings/session-context.ts';
import { TEXT } from '../../schema/type-rules.ts';
import type { StatementParameter } from '../../sql/dialect.ts';
import { plainStatement } from '../../sql/statement.ts';
import type { DriverCommand } from '../driver.ts';
import { contextBuilder, type SessionContext, type ContextBuilder } from '../session-context.ts';

/** A value is kept as an sql_variant, which holds 8,000 bytes: so many UTF-16 code units. */
const LONGEST = 4000;

/** Builds contexts for SQL Server; null if its setting passes none. */
export function sqlServerContext(database: DatabaseWithContext): ContextBuilder | null {
  const keys = contextKeys(database);
  return keys === null ? null : contextBuilder(keys, { longest: LONGEST, zeros: true });
}

const PARAMETER: StatementParameter = { kind: 'rowField', index: 0, type: TEXT };

/**
 * Sets the values of SESSION_CONTEXT, all in one batch. They stay until they are set to something else:
 * neither the end of a transaction nor a statement that fails changes them. `@read_only` is not for connections of a pool: what was set
 * with it stays as it is until the connection ends, so that the next user of the connection could not be set.
 * https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-set-session-context-transact-sql
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
