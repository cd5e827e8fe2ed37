import { ProtocolError } from '../../base/errors.ts';
import type { Dataclass } from '../../model/types.ts';
import { entityName, type KeyTexts } from '../body/body-key.ts';

/** How often a body may hold one entity: each time is a turn with statements of its own. */
export const MOST_TIMES = 20;

/** What is wrong with an entity that a body holds more often. @param unique the attribute that the URL addresses it by; null for its key */
export function heldTooOften(
  key: KeyTexts,
  dataclass: Dataclass,
  unique: string | null,
): ProtocolError {
  return new ProtocolError(
    'badBody',
    `The body holds ${entityName(dataclass, key, unique)} more than ${MOST_TIMES} times: say at once all that changes of it.`,
  );
}
