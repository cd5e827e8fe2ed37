import { apiKeyHash, makeApiKey } from '../../../../src/access/auth/api-keys.ts';

/** API keys of one role, each of which sees the employees of one site. */
export const KEYS: readonly { readonly key: string; readonly site: string }[] = Array.from(
  { length: 10 },
  (_, site) => ({ key: makeApiKey(), site: `Site ${site}` }),
);

/**
 * What the configuration says of the keys and their role.
 * @param roles how many roles there are; the keys have the first one
 */
export function roleSettings(roles = 1): Readonly<Record<string, unknown>> {
  const role = {
    dataclasses: { '*': { read: true }, Employee: { read: 'site = $claims.site' } },
  };
  return {
    authentication: {
      apiKeys: KEYS.map(({ key, site }) => ({
        name: site,
        hash: `sha256:${apiKeyHash(key)}`,
        roles: ['role1'],
        claims: { site },
      })),
    },
    roles: Object.fromEntries(
      Array.from({ length: roles }, (_, index) => [`role${index + 1}`, role]),
    ),
  };
}

/** The same keys for the handlers written by hand: the sites by the hash of the key. */
export function sitesByHash(): Readonly<Record<string, string>> {
  return Object.fromEntries(KEYS.map(({ key, site }) => [apiKeyHash(key), site]));
}
