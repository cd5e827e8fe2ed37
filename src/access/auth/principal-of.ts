import type { Principal } from '../../base/principal.ts';
import type { ClaimsSettings } from '../../config/settings/authentication.ts';

/** Who an API key or a user's entry stands for. */
export function principalOf({
  name,
  roles,
  claims,
}: {
  readonly name: string;
  readonly roles: readonly string[];
  readonly claims: ClaimsSettings;
}): Principal {
  return { name, roles, claims: new Map([...Object.entries(claims), ['user', name]]) };
}
