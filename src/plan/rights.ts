import { ProtocolError } from '../base/errors.ts';
import type { Dataclass } from '../model/types.ts';

const DENIALS = {
  created: 'mayNotCreate',
  updated: 'mayNotUpdate',
  deleted: 'mayNotDelete',
} as const;

/** @throws ProtocolError mayNotCreate, mayNotUpdate or mayNotDelete where the dataclass is read only */
export function checkRights({ name, readOnly }: Dataclass, change: keyof typeof DENIALS): void {
  if (!readOnly) return;
  throw new ProtocolError(
    DENIALS[change],
    `Entities of ${name} cannot be ${change}: it is read only.`,
  );
}
