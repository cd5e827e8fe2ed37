import { ProtocolError } from '../../base/errors.ts';
import type { Principal } from '../../base/principal.ts';
import type { ApiKeySettings } from '../../config/settings/authentication.ts';

/** Makes the principal of an API key or a user's entry. */
export function principalOf(holder: Pick<ApiKeySettings, 'name' | 'roles' | 'claims'>): Principal {
  const { name, roles, claims } = holder;
  return { name, roles, claims: new Map([...Object.entries(claims), ['user', name]]) };
}

/** The error for refused credentials (1822, 401). The message must not repeat any part of them. */
export function refused(message: string): ProtocolError {
  return new ProtocolError('notLoggedIn', message);
}
