import { ROWS } from '../data.ts';
import { filtered, read, type Case } from './case.ts';

/** A page of 100 employees with what one of their relations leads to. */
function expanded(name: string, relation: string): Case {
  return {
    name,
    next: (random, _, audience) => {
      const skip = random.below(1000);
      return read(audience, {
        gateway: `/rest/Employee?$skip=${skip}&$top=100&$expand=${relation}`,
        byHand: `/employees?skip=${skip}&top=100&with=${relation}`,
      });
    },
  };
}

/** Reads over relations. */
export const relationCases: readonly Case[] = [
  {
    name: 'filter over a relation, 40 rows',
    next: (random, _, audience) => {
      const name = `Company "${1 + random.below(ROWS.company)}" & Sons`;
      return read(audience, {
        gateway: `/rest/Employee?${filtered('company.name = :1', name)}`,
        byHand: `/employees?company=${encodeURIComponent(name)}`,
      });
    },
  },
  expanded('page of 100, expand to one', 'company'),
  expanded('page of 100, expand to many', 'lines'),
];
