import { apiKeyHash, makeApiKey } from '../../../../src/access/auth/api-keys.ts';
import type { Seen } from './by-hand/rows.ts';

/** API keys, with the claims by which their roles see the employees of one site, or the order lines of one city. */
const ALL_KEYS = Array.from({ length: 10 }, (_, at) => [
  { key: makeApiKey(), role: 'site', claims: { site: `Site ${at}` } },
  { key: makeApiKey(), role: 'city', claims: { city: `City ${at}` } },
]).flat();

/** The keys of a role. */
export function keysOf(role: string): readonly string[] {
  return ALL_KEYS.flatMap((each) => (each.role === role ? [each.key] : []));
}

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
