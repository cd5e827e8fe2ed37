import { ask } from '../compare.ts';
import { KEYS } from '../roles.ts';
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
    {
      name: 'page of 100 by a role with a row policy',
      byRole: true,
      next: (random, _, audience) => {
        const key = KEYS[random.below(KEYS.length)];
        const skip = random.below(300);
        const sent = read(audience, {
          gateway: `/rest/Employee?$skip=${skip}&$top=100`,
          byHand: `/own-employees?skip=${skip}&top=100`,
        });
        return sent === undefined ? undefined : { ...sent, headers: { 'api-key': key?.key ?? '' } };
      },
    },
  ];
}
