import { tellKeys, type TellingDatabase } from '../../config/tell-user.ts';
import { TEXT } from '../../schema/plain-types.ts';
import type { StatementParameter } from '../../sql/dialect.ts';
import { plainStatement } from '../../sql/statement.ts';
import type { DriverCommand } from '../driver.ts';
import { tellingBy, type Told, type TellWho } from '../told.ts';

/** A value is kept as an sql_variant, which holds 8,000 bytes: so many UTF-16 code units. */
const LONGEST = 4000;

/** What SQL Server is told by its setting; null where it is told nothing. */
export function tellingSqlServer(database: TellingDatabase): TellWho | null {
  const keys = tellKeys(database);
  return keys === null ? null : tellingBy(keys, { longest: LONGEST, zeros: true });
}

const PARAMETER: StatementParameter = { kind: 'rowField', index: 0, type: TEXT };

/**
 * What sets the values by which SESSION_CONTEXT tells who asks, all in one batch. They stay until they are set to something else:
 * neither the end of a transaction nor a statement that fails changes them. `@read_only` is not for connections of a pool: what was set
 * with it stays as it is until the connection ends, so that whoever has it next could not be told of.
 * https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-set-session-context-transact-sql
 */
export function tellCommand(told: Told): DriverCommand {
  const calls = Array.from(
    told,
    (_, at) => `EXEC sp_set_session_context @key = @p${2 * at + 1}, @value = @p${2 * at + 2}`,
  );
  return {
    statement: {
      ...plainStatement(calls.join('; ')),
      parameters: [...told].flatMap(() => [PARAMETER, PARAMETER]),
    },
    values: [...told].flat(),
  };
}
