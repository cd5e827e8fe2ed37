import type { Principal } from '../../base/principal.ts';
import type { ClaimsSettings } from '../../config/settings/authentication.ts';
import { ProtocolError } from '../../base/errors.ts';

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

/** What a client is told whose credentials are not taken (1822, 401). No credentials, nor a part of them, belong into the message. */
export function refused(message: string): ProtocolError {
  return new ProtocolError('notLoggedIn', message);
}
