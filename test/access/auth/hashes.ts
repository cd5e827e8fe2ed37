import { hashPassword, passwordHashText } from '../../../src/access/auth/password-hash.ts';

/** The cheapest hash that a users file may have, as text: working it out takes half the time of others. */
export async function cheapHash(password: string): Promise<string> {
  return passwordHashText(await hashPassword(password, { ln: 16, r: 8, p: 1 }));
}

/** The text of a hash that no password has. */
export const SOME_HASH = `$scrypt$ln=17,r=8,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
