import { randomBytes } from 'node:crypto';

/** A name for a database or a login of a server, of this run alone. */
export function ownName(): string {
  return `entitygate_test_${randomBytes(6).toString('hex')}`;
}
