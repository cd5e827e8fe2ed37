import { ProtocolError } from '../../base/errors.ts';
import type { Change, Dataclass, Restriction } from '../../model/types.ts';

/** The error of a change that is not allowed. */
export const DENIALS = {
  create: 'mayNotCreate',
  update: 'mayNotUpdate',
  delete: 'mayNotDelete',
} as const;

/** @throws ProtocolError mayNotCreate, mayNotUpdate or mayNotDelete where nobody may, or not whoever asks */
export function checkRights({ name, readOnly, rights }: Dataclass, change: Change): void {
  if (readOnly) {
    const message = `Entities of ${name} cannot be ${change}d: it is read only.`;
    throw new ProtocolError(DENIALS[change], message);
  }
  if (rights[change] === 'denied') throw mayNot(change, `entities of ${name}`);
}

/**
 * The error of a change that whoever asks may not make.
 * @param what the entity, or what is said of it
 */
export function mayNot(change: Change, what: string): ProtocolError {
  return new ProtocolError(DENIALS[change], `You may not ${change} ${what}.`);
}

/** What entities have to meet that may be changed; null where each may. */
export function neededFor({ rights }: Dataclass, change: Change): Restriction | null {
  const right = rights[change];
  // What is denied altogether is refused before it comes to rows.
  return right === 'denied' ? null : right;
}
