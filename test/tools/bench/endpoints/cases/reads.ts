import { parsed, rows } from '../../../../rows.ts';
import { ask } from '../compare.ts';
import type { Side } from '../process.ts';
import { keysOf } from '../roles.ts';
import type { Audience, Case } from './case.ts';

interface Options {
  /** Whose API keys are sent: the roles see other rows by other keys. */
  readonly role?: 'site' | 'city';
  readonly atMost?: number;
}

/** What is read: one of the numbers from the first on (`first+count*step`) stands for `#` in the URLs of the gateway and of the handlers written by hand. */
const READS = rows`
  entity by key                           | 1+20000    | /rest/Employee(#)                                                 | /employees/#
  page of 100, narrow                     | 0+1000     | /rest/Employee?$skip=#&$top=100                                   | /employees?skip=#&top=100
  page of 100, wide                       | 0+1000     | /rest/Wide?$skip=#&$top=100                                       | /wides?skip=#&top=100
  page of 100 at 10,000                   | 10000+1000 | /rest/Employee?$skip=#&$top=100                                   | /employees?skip=#&top=100
  filter with 10 rows                     | 0+2000     | /rest/Employee?$filter="lastName = :1"&$params=["Last#"]          | /employees?lastName=Last#
  10,000 rows                             | 0+1000     | /rest/Employee?$skip=#&$top=10000                                 | /employees?skip=#&top=10000 | {atMost: 8}
  entity by key, hash stamp               | 1+3500     | /rest/Article(#)                                                  | /articles/#
  page of 100, hash stamp                 | 0+1000     | /rest/Article?$skip=#&$top=100                                    | /articles?skip=#&top=100
  1,000 rows, hash stamp                  | 0+1000     | /rest/Article?$skip=#&$top=1000                                   | /articles?skip=#&top=1000
  filter over a relation, 40 rows         | 1+500      | /rest/Employee?$filter="company.name = :1"&$params=["Company \\"#\\" %26 Sons"]
    | /employees?company=Company "#" %26 Sons
  page of 100, expand to one              | 0+1000     | /rest/Employee?$skip=#&$top=100&$expand=company                   | /employees?skip=#&top=100&with=company
  page of 100, expand to many             | 0+1000     | /rest/Employee?$skip=#&$top=100&$expand=lines                     | /employees?skip=#&top=100&with=lines
  page of 100 of an entity set            | 0+19000    | SET?$skip=#&$top=100                                              | SET?skip=#&top=100
  # Rounds of the quantities 1 to 20, whose average has one digit behind the point.
  $compute of some 3,000 values           | 50+200*20  | /rest/OrderLine/quantity?$compute=$all&$filter="ID <= :1"&$params=[#] | /quantities?most=#
  page of 100 by a role with a row policy | 0+300      | /rest/Employee?$skip=#&$top=100                                   | /own-employees?skip=#&top=100 | {role: site}
  page of 100, policy over two relations  | 0+3000     | /rest/OrderLine?$skip=#&$top=100                                  | /own-lines?skip=#&top=100 | {role: city}
`;

/** Makes an entity set of all employees at both sides. @returns their paths */
async function makeSets({
  gateway,
  byHand,
}: Readonly<Record<Audience, Side>>): Promise<Record<Audience, string>> {
  const path = '/rest/Employee?$filter="ID%20>%20:1"&$params=[0]&$method=entityset&$top=0';
  const made = await ask(gateway.port, { path });
  const other = await ask(byHand.port, { method: 'POST', path: '/employee-sets', body: '{}' });
  return {
    gateway: (JSON.parse(made.body) as { __ENTITYSET: string }).__ENTITYSET,
    byHand: `/employee-sets/${(JSON.parse(other.body) as { id: string }).id}`,
  };
}

/** The requests that read. */
export function readCases(): readonly Case[] {
  let sets: Readonly<Record<Audience, string>>;
  return READS.map(([name = '', numbers = '', gateway = '', byHand = '', options = '{}']): Case => {
    const [first = 0, count = 1, step = 1] = numbers.split(/[+*]/).map(Number);
    const { role, atMost } = parsed<Options>(options);
    const isOfSet = gateway.startsWith('SET');
    return {
      name,
      byRole: role !== undefined,
      atMost,
      // Only the gateway has versions of rows without one.
      varies: name.includes('hash stamp') ? /"__STAMP":\d+/g : undefined,
      prepare: isOfSet ? async (sides) => void (sets = await makeSets(sides)) : undefined,
      next: (random, _, audience) => {
        const headers = role && { 'api-key': random.pick(keysOf(role)) };
        const path = { gateway, byHand }[audience]
          .replaceAll('#', String(random.int(first, first + count - 1) * step))
          .replaceAll(/["\\ [\]<]/g, encodeURIComponent);
        return { path: isOfSet ? path.replace('SET', sets[audience]) : path, headers };
      },
    };
  });
}
