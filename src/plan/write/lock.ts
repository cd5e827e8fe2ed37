import type { Dataclass, Model } from '../../model/types.ts';
import { findDataclass } from '../../model/lookup.ts';
import type { LockRequest, Slot } from '../../protocol/ast.ts';
import { checkRights } from './rights.ts';
import { urlTarget, type UrlTarget } from './save.ts';

/** Which entity to lock or unlock. */
export interface LockPlan {
  readonly dataclass: Dataclass;
  readonly target: UrlTarget;
  readonly wanted: boolean;
  /** The stamp that the client has read the entity with; null where it does not say. */
  readonly stamp: Slot | null;
}

/**
 * Plans a lock.
 * @throws ProtocolError for names that do not exist, and mayNotUpdate where nothing could be done under the lock
 */
export function planLock(
  { dataclass: name, selector, wanted, stamp }: LockRequest,
  model: Model,
): LockPlan {
  const dataclass = findDataclass(model, name);
  checkRights(dataclass, 'update');
  const target = urlTarget(selector, dataclass);
  if (target === null) throw new Error('a lock is for one entity');
  return { dataclass, target, wanted, stamp };
}
