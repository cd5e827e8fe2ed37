import { ProtocolError } from '../base/errors.ts';
import type { Principal } from '../base/principal.ts';
import type { TellKeys } from '../config/tell-user.ts';

/** What the database is told of who asks: texts by key, the same keys each time; null for what is not known. */
export type Told = ReadonlyMap<string, string | null>;

/** The same keys, and nothing known. */
export function forgotten(told: Told): Told {
  return new Map(Array.from(told.keys(), (key) => [key, null]));
}

/** What an engine takes under a key. */
export interface TellLimits {
  /** In UTF-16 code units; Infinity where there is no limit that anybody could meet. */
  readonly longest: number;
  /** Whether a text may hold U+0000. */
  readonly zeros: boolean;
}

/** What to tell of who asks; null where there is nothing to tell. @throws ProtocolError notTellable */
export type TellWho = (principal: Principal) => Told | null;

/**
 * What a database is told by its setting. What is a list is told as JSON: a name that holds a comma would be two in a list with
 * commas, and a role that somebody has could be taken for another.
 */
export function tellingBy({ user, roles, claims }: TellKeys, limits: TellLimits): TellWho {
  const claimKeys = Object.entries(claims);
  return (principal) => {
    const isSomebody = principal.name !== null || principal.roles.length > 0;
    const told = new Map([[user, checked('user’s name', principal.name, limits)]]);
    if (roles !== undefined) {
      const text = isSomebody ? JSON.stringify(principal.roles) : null;
      told.set(roles, checked('list of roles', text, limits));
    }
    for (const [claim, key] of claimKeys) {
      const value = principal.claims.get(claim) ?? null;
      const text = typeof value === 'string' || value === null ? value : JSON.stringify(value);
      told.set(key, checked(`claim ${claim}`, text, limits));
    }
    return [...told.values()].every((text) => text === null) ? null : told;
  };
}

/** A text that the engine keeps as it is: cut, or changed on the way, it could be that of somebody else. */
function checked(what: string, text: string | null, limits: TellLimits): string | null {
  if (text === null) return null;
  const problem =
    text.length > limits.longest
      ? `longer than the ${limits.longest} characters that it takes`
      : text.isWellFormed() && (limits.zeros || !text.includes('\0'))
        ? null
        : 'text with characters that it does not take';
  if (problem === null) return text;
  throw new ProtocolError(
    'notTellable',
    `The database is told who asks, and your ${what} is ${problem}.`,
  );
}
