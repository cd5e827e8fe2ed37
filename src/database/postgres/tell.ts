import { tellKeys, type TellingDatabase } from '../../config/tell-user.ts';
import { tellingBy, type Told, type TellWho } from '../told.ts';
import type { Query } from './statement-query.ts';

/** What PostgreSQL is told by its setting; null where it is told nothing. */
export function tellingPostgres(database: TellingDatabase): TellWho | null {
  const keys = tellKeys(database);
  return keys === null ? null : tellingBy(keys, { longest: Infinity, zeros: false });
}

/**
 * What sets the parameters by which the database knows who asks. They have no null: what is not known is empty.
 * https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-SET
 * @param until what ends with them: the transaction that this is part of, or the session
 */
export function tellQuery(told: Told, until: 'transaction' | 'session'): Query {
  const isLocal = until === 'transaction';
  const calls = Array.from(
    told,
    (_, at) => `set_config($${2 * at + 1}, $${2 * at + 2}, ${isLocal})`,
  );
  return {
    text: `SELECT ${calls.join(', ')}`,
    values: [...told].flatMap(([key, text]) => [key, text ?? '']),
  };
}
