import { ProtocolError } from '../../base/errors.ts';
import { type LockOrder, runLock, runLockStatus, runUnlock } from '../../run/write/lock.ts';
import { timed, timedAsync } from '../../base/observe/observer.ts';
import { type LockPlan, planLock } from '../../plan/write/save.ts';
import type { Literal, LockRequest } from '../../protocol/ast.ts';
import type { Answer } from '../../answer/answer.ts';
import { closingHeaders } from '../../state/session/sessions.ts';
import { lockAnswer, lockFailure } from '../../answer/lock-writer.ts';
import { explainUnread } from '../../run/convert/unread-value.ts';
import { urlKeys } from '../../run/body/entity-key.ts';
import { withSession } from '../pipeline/caller.ts';
import { noteOutdated, retryHeaders } from '../pipeline/error-answers.ts';
import {
  executionOf,
  type Operation,
  type OperationContext,
  type Services,
} from '../pipeline/operation.ts';
import { refusePrecondition } from '../http/etags.ts';

/** A client without a session holds no locks. */
const NO_SESSION = '';

/** Locks an entity for a session, unlocks it (§4.12), or tells whether it is locked. */
export const lock: Operation<LockRequest> = {
  changes: ({ action }) => action !== 'status',
  addresses: (ast) => ast,
  answer,
};

async function answer(context: OperationContext<LockRequest>): Promise<Answer> {
  const { ast, values, request, caller, services, observer } = context;
  const { locks } = services;
  refusePrecondition(request);
  if (locks === null) {
    const message = '$lock is not available: this gateway keeps no locks.';
    throw new ProtocolError('notServed', message);
  }
  const plan = timed(context, 'plan', () => planLock(ast, caller.audience.model));
  const named = timed(context, 'values', () => namedEntity(plan, values, services));
  if (named === null) return lockAnswer({ kind: 'gone' }, plan.dataclass);
  const execution = executionOf(context);
  const orderOf = (session: string): LockOrder => ({
    ...named,
    plan,
    holder: {
      session,
      host: request.headers.host ?? '',
      address: request.address,
      userAgent: request.headers['user-agent'] ?? '',
    },
  });
  try {
    return await timedAsync(context, 'execute', async () => {
      if (plan.action !== 'lock') {
        const run = plan.action === 'unlock' ? runUnlock : runLockStatus;
        const outcome = await run(orderOf(caller.session?.hash ?? NO_SESSION), locks, execution);
        const answer = lockAnswer(outcome, plan.dataclass);
        if (!caller.hasEnded || plan.action !== 'unlock' || outcome.kind !== 'done') return answer;
        const closing = closingHeaders(services.sessionNames, request.isSecure);
        return { ...answer, headers: { ...answer.headers, ...closing } };
      }
      return withSession(context, async ({ id, hash }) => {
        const outcome = await runLock(orderOf(hash), locks, execution);
        if (outcome.kind === 'done' && (await services.sessions.find(id)) === null) {
          await locks.release(hash);
          throw new ProtocolError('notLoggedIn', 'The session ended before the entity was locked.');
        }
        return { answer: lockAnswer(outcome, plan.dataclass), isNeeded: outcome.kind === 'done' };
      });
    });
  } catch (caught) {
    const error = explainUnread(caught, values);
    if (!(error instanceof ProtocolError) || error.status < 500) throw error;
    observer.errorMet(error);
    noteOutdated(error, ast.dataclass, services.outdated);
    const refusal = lockFailure(error);
    return { ...refusal, headers: { ...refusal.headers, ...retryHeaders(error) } };
  }
}

/** The key of the entity, and the stamp that the client has read; null when no entity can have that key. */
function namedEntity(
  { dataclass, target, stamp }: LockPlan,
  values: readonly Literal[],
  { database: { dialect } }: Services,
): Pick<LockOrder, 'key' | 'stamp'> | null {
  const given = stamp === null ? undefined : values[stamp.parameter]?.value;
  try {
    const [key = []] = urlKeys(target, values, dataclass, dialect.limits);
    return { key, stamp: typeof given === 'string' ? given : null };
  } catch (error) {
    if (error instanceof ProtocolError && error.errorName === 'noEntityToWrite') return null;
    throw error;
  }
}
