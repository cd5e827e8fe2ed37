import { createHash } from 'node:crypto';
import type { Statement } from './dialect.ts';

/** How many characters of a hash name a statement: of a million texts, two share a name with a chance of 1 to 10^10. */
const NAME_LENGTH = 12;

/** A name for a statement: equal for equal texts, and short enough for a label. */
export function statementName(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, NAME_LENGTH);
}

/** A statement that never had values: one of the gateway's own. */
export function plainStatement(text: string, effect: Statement['effect'] = 'read'): Statement {
  return { name: statementName(text), text, effect, parameters: [], readers: [] };
}
