import { ProtocolError } from '../../../src/base/errors.ts';
import type { AuthClock } from '../../../src/base/time.ts';
import { hashPassword, passwordHashText } from '../../../src/access/auth/password-hash.ts';
import {
  authenticationSchema,
  type JwtSettings,
} from '../../../src/config/settings/authentication.ts';

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

/** The cheapest hash that a users file may have, as text: working it out takes half the time of others. */
export async function cheapHash(password: string): Promise<string> {
  return passwordHashText(await hashPassword(password, { ln: 16, r: 8, p: 1 }));
}

/** The text of a hash that no password has. */
export const SOME_HASH = `$scrypt$ln=17,r=8,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Settings of tokens of the issuer `login` for the audience `erp`, with all defaults. */
export function jwtSettings(given: Partial<JwtSettings>): JwtSettings {
  const { jwt } = authenticationSchema.parse({
    jwt: { issuer: 'login', audience: 'erp', ...given },
  });
  if (jwt === undefined) throw new Error('no jwt');
  return jwt;
}
