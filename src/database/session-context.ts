import { ProtocolError, reason, StartupError } from '../base/errors.ts';
import { gatewayContext } from '../base/observe/observer.ts';
import { NOBODY, type Principal } from '../base/principal.ts';
import {
  contextKeys,
  type ContextKeys,
  type DatabaseWithContext,
} from '../config/settings/session-context.ts';
import { plainStatement } from '../sql/ir/statement.ts';
import type { Database } from './database.ts';

/** What the database session knows of the user: texts by key, always the same keys; null for unknown values. */
export type SessionContext = ReadonlyMap<string, string | null>;

/** A context with the same keys and no values. */
export function clearedContext(context: SessionContext): SessionContext {
  return new Map(Array.from(context.keys(), (key) => [key, null]));
}

/** What an engine takes under a key. */
export interface ContextLimits {
  /** In UTF-16 code units. */
  readonly longest: number;
  /** Whether a text may hold U+0000. */
  readonly zeros: boolean;
}

/** Builds the context of a user; null if there is nothing to pass. @throws ProtocolError invalidContext */
export type ContextBuilder = (principal: Principal) => SessionContext | null;

/** The context builder for a database's settings; null if they pass no user. */
export function contextFor(
  settings: DatabaseWithContext,
  limits: ContextLimits,
): ContextBuilder | null {
  const keys = contextKeys(settings);
  return keys === null ? null : contextBuilder(keys, limits);
}

/** Builds contexts as the setting says. Lists are JSON: separated by commas, a name with a comma would be two, and could be taken for another role. */
export function contextBuilder(
  { user, roles, claims }: ContextKeys,
  limits: ContextLimits,
): ContextBuilder {
  const claimKeys = Object.entries(claims);
  return (principal) => {
    const isKnown = principal.name !== null || principal.roles.length > 0;
    const context = new Map([[user, checked('user’s name', principal.name, limits)]]);
    if (roles !== undefined) {
      const list = isKnown ? principal.roles : null;
      context.set(roles, checked('list of roles', list, limits));
    }
    for (const [claim, key] of claimKeys) {
      context.set(key, checked(`claim ${claim}`, principal.claims.get(claim) ?? null, limits));
    }
    return [...context.values()].every((text) => text === null) ? null : context;
  };
}

/** Writes contexts as one text, equal for equal contexts and empty for none; always empty if the database gets no context. */
export function contextText(keys: ContextKeys | null): (principal: Principal) => string {
  if (keys === null) return () => '';
  const build = contextBuilder(keys, { longest: Infinity, zeros: true });
  return (principal) => {
    const context = build(principal);
    return context === null ? '' : JSON.stringify([...context.values()]);
  };
}

/** Writes a value, and refuses one that the engine would cut or change: it could be that of another user. */
function checked(
  what: string,
  value: string | readonly string[] | null,
  limits: ContextLimits,
): string | null {
  if (value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const isTaken = [value]
    .flat()
    .every((one) => one.isWellFormed() && (limits.zeros || !one.includes('\0')));
  if (isTaken && text.length <= limits.longest) return text;
  const problem =
    text.length > limits.longest
      ? `longer than the ${limits.longest} characters that it takes`
      : 'text with characters that it does not take';
  const message = `The user is passed to the database, and your ${what} is ${problem}.`;
  throw new ProtocolError('invalidContext', message);
}

/** Checks at the start whether the database takes the keys of the context. @throws StartupError if it refuses them */
export async function checkSessionContext(
  database: Pick<Database, 'run'>,
  { sessionContext }: { readonly sessionContext: ContextBuilder | null },
): Promise<void> {
  if (sessionContext === null) return;
  const command = { statement: plainStatement('SELECT 1'), values: [] };
  try {
    await database.run(command, { ...gatewayContext, principal: { ...NOBODY, name: '' } });
  } catch (error) {
    const message = `the user cannot be passed to the database: ${reason(error)}`;
    throw StartupError.at('database.tellUser', message);
  }
}
