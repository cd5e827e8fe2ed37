import { apiKeyHash, makeApiKey } from '../../../../src/access/auth/api-keys.ts';
import type { Seen } from './by-hand/rows.ts';

/** An API key, with the claims by which its role sees some of the rows. */
export interface RoleKey {
  readonly key: string;
  readonly role: string;
  readonly claims: Seen;
}

function keys(role: string, claimsOf: (at: number) => Seen): RoleKey[] {
  return Array.from({ length: 10 }, (_, at) => ({ key: makeApiKey(), role, claims: claimsOf(at) }));
}

/** The keys that see the employees of one site. */
export const SITE_KEYS = keys('site', (at) => ({ site: `Site ${at}` }));

/** The keys that see the order lines of one city. */
export const CITY_KEYS = keys('city', (at) => ({ city: `City ${at}` }));

const ALL_KEYS = [...SITE_KEYS, ...CITY_KEYS];

/** What the configuration says of the keys and their roles. */
export function roleSettings(): Readonly<Record<string, unknown>> {
  const seeing = (filters: object): object => ({
    dataclasses: { '*': { read: true }, ...filters },
  });
  return {
    authentication: {
      apiKeys: ALL_KEYS.map(({ key, role, claims }, at) => ({
        name: `key${at}`,
        hash: `sha256:${apiKeyHash(key)}`,
        roles: [role],
        claims,
      })),
    },
    roles: {
      city: seeing({ OrderLine: { read: 'employee.company.city = $claims.city' } }),
      site: seeing({ Employee: { read: 'site = $claims.site' } }),
    },
  };
}

/** The same for the handlers written by hand, by the hashes of the keys. */
export function seenByHash(): Readonly<Record<string, Seen>> {
  return Object.fromEntries(ALL_KEYS.map(({ key, claims }) => [apiKeyHash(key), claims]));
}
