import { ProtocolError } from '../../../src/base/errors.ts';
import type { AuthClock } from '../../../src/base/time.ts';

/** A clock that stands still until time is passed. */
export interface TestClock extends AuthClock {
  readonly pass: (seconds: number) => void;
}

/** A clock that begins at noon of a day in 2026. */
export function testClock(): TestClock {
  let passed = 0;
  return {
    wall: () => Date.parse('2026-11-22T12:00:00Z') + passed,
    steady: () => 1000 + passed,
    pass: (seconds) => (passed += seconds * 1000),
  };
}

/** The name and the message of the error that work ends in; what comes of it where it ends in none. */
export async function refusal(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return [error.errorName, error.message];
  }
}
