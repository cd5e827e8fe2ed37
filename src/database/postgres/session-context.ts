import { contextKeys, type DatabaseWithContext } from '../../config/settings/session-context.ts';
import { contextBuilder, type SessionContext, type ContextBuilder } from '../session-context.ts';
import type { Query } from './statement-query.ts';

/** Builds contexts for PostgreSQL; null if its setting passes none. */
export function postgresContext(database: DatabaseWithContext): ContextBuilder | null {
  const keys = contextKeys(database);
  return keys === null ? null : contextBuilder(keys, { longest: Infinity, zeros: false });
}

/**
 * Sets the parameters of the context. They have no null: an unknown value is empty.
 * https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-SET
 * @param until what ends with them: the transaction that this is part of, or the session
 */
export function setContextQuery(context: SessionContext, until: 'transaction' | 'session'): Query {
  const isLocal = until === 'transaction';
  const calls = Array.from(
    context,
    (_, at) => `set_config($${2 * at + 1}, $${2 * at + 2}, ${isLocal})`,
  );
  return {
    text: `SELECT ${calls.join(', ')}`,
    values: [...context].flatMap(([key, text]) => [key, text ?? '']),
  };
}
