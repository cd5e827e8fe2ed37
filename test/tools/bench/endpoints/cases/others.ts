import { ask } from '../compare.ts';
import { CITY_KEYS, type RoleKey, SITE_KEYS } from '../roles.ts';
import { filtered, read, type Case } from './case.ts';

/** Entity sets, computed values, and what a role may see. */
export function otherCases(): readonly Case[] {
  const sets = { gateway: '', byHand: '' };
  return [
    {
      name: 'page of 100 of an entity set',
      prepare: async ({ gateway, byHand }) => {
        const make = `/rest/Employee?${filtered('ID > :1', 0)}&$method=entityset&$top=0`;
        const made = await ask(gateway.port, { path: make });
        sets.gateway = (JSON.parse(made.body) as { __ENTITYSET: string }).__ENTITYSET;
        const other = await ask(byHand.port, {
          method: 'POST',
          path: '/employee-sets',
          body: '{}',
        });
        sets.byHand = `/employee-sets/${(JSON.parse(other.body) as { id: string }).id}`;
      },
      next: (random, _, audience) => {
        const skip = random.below(19_000);
        return read(audience, {
          gateway: `${sets.gateway}?$skip=${skip}&$top=100`,
          byHand: `${sets.byHand}?skip=${skip}&top=100`,
        });
      },
    },
    {
      name: '$compute of some 3,000 values',
      next: (random, _, audience) => {
        // Rounds of the quantities 1 to 20, whose average has one digit behind the point.
        const most = 20 * (50 + random.below(200));
        return read(audience, {
          gateway: `/rest/OrderLine/quantity?$compute=$all&${filtered('ID <= :1', most)}`,
          byHand: `/quantities?most=${most}`,
        });
      },
    },
    byRole('page of 100 by a role with a row policy', SITE_KEYS, 300, {
      gateway: '/rest/Employee',
      byHand: '/own-employees',
    }),
    byRole('page of 100, policy over two relations', CITY_KEYS, 3000, {
      gateway: '/rest/OrderLine',
      byHand: '/own-lines',
    }),
  ];
}

/** Pages of what one of the API keys sees. @param most how many entities are skipped at most */
function byRole(
  name: string,
  keys: readonly RoleKey[],
  most: number,
  paths: { readonly gateway: string; readonly byHand: string },
): Case {
  return {
    name,
    byRole: true,
    next: (random, _, audience) => {
      const key = keys[random.below(keys.length)];
      const skip = random.below(most);
      const sent = read(audience, {
        gateway: `${paths.gateway}?$skip=${skip}&$top=100`,
        byHand: `${paths.byHand}?skip=${skip}&top=100`,
      });
      return { ...sent, headers: { 'api-key': key?.key ?? '' } };
    },
  };
}
