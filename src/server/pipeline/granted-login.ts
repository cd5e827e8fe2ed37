import { setTimeout } from 'node:timers/promises';
import type { SignIn } from '../../access/auth/sign-in.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { Granted, Principal } from '../../base/principal.ts';
import { isGranted, type Session, type Sessions } from '../../state/session/sessions.ts';

/** How long to wait between two looks at a session that another request renews, in milliseconds. */
const PAUSE = 50;

/**
 * Returns the user of such a session, whose grant one of the requests of all gateways renews before it ends. While the provider does not answer, a grant
 * lasts to its end.
 * @returns null where the user is no longer signed in @throws ProtocolError identityProviderAway
 */
export async function grantedLogin(
  session: Session & Granted,
  signIn: SignIn,
  sessions: Sessions,
): Promise<Principal | null> {
  let current: Session | null = session;
  while (current !== null && isGranted(current)) {
    const { id, login, grant } = current;
    const { isDue, isOver } = signIn.ageOf(grant);
    if (!isDue) return signIn.current(login, grant);
    if (await sessions.claimGrant(id)) return renewedLogin(id, signIn, sessions);
    if (!isOver) return signIn.current(login, grant);
    await setTimeout(PAUSE);
    current = await sessions.find(id);
  }
  return null;
}

/** Renews the grant of a session that the caller has claimed, unless another request has done so before the claim. */
async function renewedLogin(
  id: string,
  signIn: SignIn,
  sessions: Sessions,
): Promise<Principal | null> {
  let renewed: Granted | null = null;
  try {
    const session = await sessions.find(id);
    if (session === null || !isGranted(session)) return null;
    const { login, grant } = session;
    const { isDue, isOver } = signIn.ageOf(grant);
    if (!isDue) return signIn.current(login, grant);
    try {
      renewed = await signIn.renewed(login, grant);
    } catch (error) {
      const isAway = error instanceof ProtocolError && error.errorName === 'identityProviderAway';
      if (isAway && !isOver) return signIn.current(login, grant);
      throw error;
    }
    return renewed?.login ?? null;
  } finally {
    await sessions.releaseGrant(id, renewed);
  }
}
