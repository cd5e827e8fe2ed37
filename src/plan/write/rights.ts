import { ProtocolError } from '../../base/errors.ts';
import type { Change, Dataclass, Restriction } from '../../model/types.ts';

/** The error of a change that is not allowed. */
export const DENIALS = {
  create: 'mayNotCreate',
  update: 'mayNotUpdate',
  delete: 'mayNotDelete',
} as const;

/** Checks whether the user may make a change at all. @throws ProtocolError mayNotCreate, mayNotUpdate or mayNotDelete */
export function checkRights({ name, readOnly, rights }: Dataclass, change: Change): void {
  if (readOnly !== null) {
    const message = `Entities of ${name} cannot be ${change}d: it is read-only${readOnly}.`;
    throw new ProtocolError(DENIALS[change], message).advising(
      `See readOnly, stamp and requireStamp of ${name} in its mapping file, and readOnly in config.yaml.`,
    );
  }
  if (rights[change] === 'denied') throw mayNot(change, `entities of ${name}`);
}

/** The error of a change that the user may not make. @param what the entity, or a phrase for entities */
export function mayNot(change: Change, what: string): ProtocolError {
  return new ProtocolError(DENIALS[change], `You may not ${change} ${what}.`);
}

/** The condition of entities that the user may change; null where that is all. */
export function neededFor({ rights }: Dataclass, change: Change): Restriction | null {
  const right = rights[change];
  // A change that is denied altogether is refused before rows are looked at.
  return right === 'denied' ? null : right;
}
