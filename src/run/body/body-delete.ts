import { ProtocolError } from '../../base/errors.ts';
import type { BodyEntity } from '../../protocol/body/body.ts';
import { readOrError, refusedEntity } from './body-entity.ts';
import { bodyKey, OWN_KEY } from './body-key.ts';
import { bodyStamp, neededStamp } from './entity-key.ts';
import type { EntityContext, PlannedDelete, RefusedEntity } from '../convert/types.ts';

/** What all entities of a delete have in common. */
type DeleteContext = Pick<EntityContext, 'dataclass' | 'limits'>;

/** Reads one object of a body that says what to delete; one that is refused keeps its key, so that it can be named. */
export function readDelete(
  body: BodyEntity,
  index: number,
  context: DeleteContext,
): PlannedDelete | RefusedEntity {
  const read = readOrError(() => plannedDelete(body, index, context));
  return read instanceof ProtocolError ? refusedEntity(read, body, index, context, null) : read;
}

/**
 * Reads one object of a body that says what to delete: its key, and its stamp where it has one.
 * @throws ProtocolError keyIsNull without a key, keyMismatch, wrongType
 */
function plannedDelete(
  body: BodyEntity,
  index: number,
  { dataclass, limits }: DeleteContext,
): PlannedDelete {
  const { key } = body;
  if (key === undefined || key === null) {
    throw new ProtocolError('keyIsNull', 'There is no __KEY: it says which entity to delete.');
  }
  return {
    index,
    key: bodyKey(key, dataclass, OWN_KEY, limits),
    stamp: neededStamp(bodyStamp(body.stamp, dataclass)),
  };
}
