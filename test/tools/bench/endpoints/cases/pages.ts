import { ROWS } from '../data.ts';
import { filtered, read, type Case } from './case.ts';

/** A page of employees or of wide rows from somewhere between two places. */
function page(name: string, from: number, places: number, top: number, wide = false): Case {
  const [dataclass, collection] = wide ? ['Wide', 'wides'] : ['Employee', 'employees'];
  return {
    name,
    next: (random, _, audience) => {
      const skip = from + random.below(places);
      return read(audience, {
        gateway: `/rest/${dataclass}?$skip=${skip}&$top=${top}`,
        byHand: `/${collection}?skip=${skip}&top=${top}`,
      });
    },
  };
}

/** Only the gateway has versions of rows without one. */
const HASH = /"__STAMP":\d+/g;

/** A page of a table without a version. */
function articles(name: string, top: number): Case {
  return {
    name,
    varies: HASH,
    next: (random, _, audience) => {
      const skip = random.below(1000);
      return read(audience, {
        gateway: `/rest/Article?$skip=${skip}&$top=${top}`,
        byHand: `/articles?skip=${skip}&top=${top}`,
      });
    },
  };
}

/** Reads of one table. */
export const pageCases: readonly Case[] = [
  {
    name: 'entity by key',
    next: (random, _, audience) => {
      const id = 1 + random.below(ROWS.employee);
      return read(audience, { gateway: `/rest/Employee(${id})`, byHand: `/employees/${id}` });
    },
  },
  page('page of 100, narrow', 0, 1000, 100),
  page('page of 100, wide', 0, 1000, 100, true),
  page('page of 100 at 10,000', 10_000, 1000, 100),
  {
    name: 'filter with 10 rows',
    next: (random, _, audience) => {
      const name = `Last${random.below(2000)}`;
      return read(audience, {
        gateway: `/rest/Employee?${filtered('lastName = :1', name)}`,
        byHand: `/employees?lastName=${name}`,
      });
    },
  },
  { ...page('10,000 rows', 0, 1000, 10_000), atMost: 8 },
  {
    name: 'entity by key, hash stamp',
    varies: HASH,
    next: (random, _, audience) => {
      const id = 1 + random.below(ROWS.article);
      return read(audience, { gateway: `/rest/Article(${id})`, byHand: `/articles/${id}` });
    },
  },
  articles('page of 100, hash stamp', 100),
  articles('1,000 rows, hash stamp', 1000),
];
