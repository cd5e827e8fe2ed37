import { setAudience } from '../../access/roles/audiences.ts';
import type { SetAccess } from '../../run/sets/set-keys.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import type { Caller } from './caller.ts';
import type { Services } from './services.ts';

/** Whose entity sets a request may use. A client without a session is told from others by its name, and one without a name by its address. */
export function accessOf(
  { session, principal, audience }: Caller,
  { address }: RestRequest,
  { entitySets, toldOf }: Services,
): SetAccess {
  const seen = setAudience(audience, principal);
  const told = toldOf(principal);
  return {
    sets: entitySets,
    // A database that is told who asks may show each of them other rows.
    audience: told === '' ? seen : `${seen} ${told}`,
    owner: session?.id ?? principal.name ?? address,
  };
}
