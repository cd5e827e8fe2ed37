import type { Claims, Principal } from '../../base/principal.ts';
import type { JwtSettings } from '../../config/settings/authentication.ts';
import { ADMIN } from '../../config/settings/roles.ts';
import { refused } from './principal.ts';

/** How many claims a token may have, those inside others counted one by one. */
const MOST_CLAIMS = 256;

/** How deep claims may lie inside others. */
const MOST_LEVELS = 8;

/**
 * A token's claims as row policies compare with them: one inside another under a name with a dot (`address.country`), numbers and booleans as
 * their text, lists of these as lists of texts. What is null, and lists with other things in them, is left out.
 * @throws ProtocolError notLoggedIn for a token with more of them than anybody needs, or with two of one name: which of them the issuer
 *   vouches for cannot be told
 */
export function flatClaims(payload: Readonly<Record<string, unknown>>): Claims {
  const claims = new Map<string, string | readonly string[]>();
  const add = (name: string, value: unknown, level: number): void => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      if (level === MOST_LEVELS) throw refused('The token’s claims are nested too deeply.');
      for (const [key, inner] of Object.entries(value)) add(`${name}.${key}`, inner, level + 1);
      return;
    }
    const text = Array.isArray(value) ? textsOf(value) : textOf(value);
    if (text === null) return;
    if (claims.has(name)) throw refused('The token has two claims of one name.');
    if (claims.size === MOST_CLAIMS)
      throw refused(`The token has more than ${MOST_CLAIMS} claims.`);
    claims.set(name, text);
  };
  for (const [name, value] of Object.entries(payload)) add(name, value, 1);
  return claims;
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

function textsOf(values: readonly unknown[]): readonly string[] | null {
  const texts = values.map(textOf);
  return texts.every((text) => text !== null) ? texts : null;
}

/** How a token's claims say who has it. */
export type TokenReading = Pick<JwtSettings, 'nameClaim' | 'rolesClaim' | 'roles' | 'defaultRoles'>;

/**
 * Who has a token with these claims.
 * @throws ProtocolError notLoggedIn for claims that name nobody, or are too many
 */
export function tokenPrincipal(
  payload: Readonly<Record<string, unknown>>,
  { nameClaim, rolesClaim, roles, defaultRoles }: TokenReading,
): Principal {
  const claims = flatClaims(payload);
  const name = claims.get(nameClaim);
  if (typeof name !== 'string' || name === '') {
    throw refused(`The token does not name its user: its claim ${nameClaim} is not text.`);
  }
  const given = wordsOf(claims, rolesClaim).flatMap((word) => {
    // The word is common, and means something else to others: who may do everything is for the configuration to say.
    if (roles === undefined) return word === ADMIN ? [] : [word];
    // Every object has a member "constructor".
    return Object.hasOwn(roles, word) ? [roles[word] ?? word] : [];
  });
  return {
    name,
    roles: [...new Set([...given, ...defaultRoles])],
    claims: new Map([...claims, ['user', name]]),
  };
}

/** The words of a claim: a list, or a text of words that blanks separate, as `scope` is one (RFC 8693 §4.2). */
function wordsOf(claims: Claims, name: string): readonly string[] {
  const value = claims.get(name) ?? [];
  return typeof value === 'string' ? value.split(/\s+/).filter((word) => word !== '') : value;
}
