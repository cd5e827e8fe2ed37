import { ProtocolError } from '../base/errors.ts';
import type { Principal } from '../base/principal.ts';
import type { ContextKeys } from '../config/settings/session-context.ts';

/** What the database session knows of the user: texts by key, always the same keys; null for unknown values. */
export type SessionContext = ReadonlyMap<string, string | null>;

/** A context with the same keys and no values. */
export function clearedContext(context: SessionContext): SessionContext {
  return new Map(Array.from(context.keys(), (key) => [key, null]));
}

/** What an engine takes under a key. */
export interface ContextLimits {
  /** In UTF-16 code units; Infinity where there is no limit that anybody could meet. */
  readonly longest: number;
  /** Whether a text may hold U+0000. */
  readonly zeros: boolean;
}

/** Builds the context of a user; null if there is nothing to pass. @throws ProtocolError invalidContext */
export type ContextBuilder = (principal: Principal) => SessionContext | null;

/**
 * Builds contexts as the setting says. Lists are passed as JSON: a name that holds a comma would be two in a list with
 * commas, and a role that somebody has could be taken for another.
 */
export function contextBuilder(
  { user, roles, claims }: ContextKeys,
  limits: ContextLimits,
): ContextBuilder {
  const claimKeys = Object.entries(claims);
  return (principal) => {
    const isSomebody = principal.name !== null || principal.roles.length > 0;
    const context = new Map([[user, checked('user’s name', principal.name, limits)]]);
    if (roles !== undefined) {
      const text = isSomebody ? JSON.stringify(principal.roles) : null;
      context.set(roles, checked('list of roles', text, limits));
    }
    for (const [claim, key] of claimKeys) {
      const value = principal.claims.get(claim) ?? null;
      const text = typeof value === 'string' || value === null ? value : JSON.stringify(value);
      context.set(key, checked(`claim ${claim}`, text, limits));
    }
    return [...context.values()].every((text) => text === null) ? null : context;
  };
}

/** A context as one text, so that equal contexts have equal texts; empty if there is none. */
export function contextText(keys: ContextKeys | null): (principal: Principal) => string {
  if (keys === null) return () => '';
  const build = contextBuilder(keys, { longest: Infinity, zeros: true });
  return (principal) => {
    const context = build(principal);
    return context === null ? '' : JSON.stringify([...context.values()]);
  };
}

/** A text that the engine keeps as it is: cut, or changed on the way, it could be that of somebody else. */
function checked(what: string, text: string | null, limits: ContextLimits): string | null {
  if (text === null) return null;
  const problem =
    text.length > limits.longest
      ? `longer than the ${limits.longest} characters that it takes`
      : text.isWellFormed() && (limits.zeros || !text.includes('\0'))
        ? null
        : 'text with characters that it does not take';
  if (problem === null) return text;
  throw new ProtocolError(
    'invalidContext',
    `The user is passed to the database, and your ${what} is ${problem}.`,
  );
}
