import type { Claims, Principal } from '../../base/principal.ts';
import type { JwtSettings } from '../../config/settings/authentication.ts';
import { ADMIN } from '../../config/settings/roles.ts';
import { refused } from './refused.ts';
import { flatClaims } from './token-claims.ts';

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
    throw refused(`The token does not say who has it: its claim ${nameClaim} is no text.`);
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
