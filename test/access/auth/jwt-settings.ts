import {
  authenticationSchema,
  type JwtSettings,
} from '../../../src/config/settings/authentication.ts';

/** Settings of tokens of the issuer `login` for the audience `erp`, with all defaults. */
export function jwtSettings(given: Partial<JwtSettings>): JwtSettings {
  const { jwt } = authenticationSchema.parse({
    jwt: { issuer: 'login', audience: 'erp', ...given },
  });
  if (jwt === undefined) throw new Error('no jwt');
  return jwt;
}
