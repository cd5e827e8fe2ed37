import { z } from 'zod';
import { integer, matching, text } from './fields.ts';

/** Whether a URL is of this machine, where nobody listens between two programs. */
export function isOfThisMachine({ hostname }: URL): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** An address of an identity provider: what it says counts only by https, or from this machine. A login in the URL would end up in messages. */
export function isProviderUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  if (url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isOfThisMachine(url));
}

export const givenRolesSetting = z.array(text);

/** How far clocks may differ. */
export const clockSkewSeconds = integer(0, 600)
  .default(60)
  .describe('How far the clocks of issuer and gateway may differ.');

/** How the claims of a token become a user with roles. */
export const claimReading = {
  nameClaim: text.default('sub').describe('The claim that is the user’s name.'),
  rolesClaim: text
    .default('roles')
    .describe(
      'The claim with the roles: a list, or blank-separated text; realm_access.roles if nested.',
    ),
  roles: z
    .record(text, text)
    .optional()
    .describe('Renames roles of the token: ERP-Readers: reader. Others are dropped.'),
  defaultRoles: givenRolesSetting.default([]).describe('Roles of every user with a valid token.'),
};

/** The words of OAuth's parameter `scope` (RFC 6749 §3.3). */
export const scopeSetting = matching(
  /^[!#-[\]-~]+$/,
  'is not a scope: expected a word such as profile, without blanks and quotes',
);
