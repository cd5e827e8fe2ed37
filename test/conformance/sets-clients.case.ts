import type { Client } from './client.ts';
import { EntitySet } from './entity-set.ts';
import { sortedBy } from './finders.ts';
import { inKeyOrder, reach, rowAt, rowsOf, type Page, type Slots } from './oracle.ts';
import type { SequenceCase } from './suite.ts';

const staff = inKeyOrder('Employee', reach('Company', rowAt('Company', 1), 'employees'));
const cheap = rowsOf('Employee').filter(({ GRADE_CD }) => GRADE_CD !== null && GRADE_CD < 5);

/** What clients make a set of before they page through it. */
const made: readonly (readonly [url: string, slots: Slots, page: Page])[] = [
  ['Employee?$limit=5&$method=entityset', rowsOf('Employee'), { top: 5 }],
  ['Employee?$filter="grade < 5"&$limit=5&$method=entityset', cheap, { top: 5 }],
  [
    'Employee?$orderby=hireDate desc,ID&$limit=5&$method=entityset',
    sortedBy(rowsOf('Employee'), 'HIRE_DT', 'desc'),
    { top: 5 },
  ],
  ['Company(1)/employees?$expand=employees&$method=subentityset', staff, {}],
];

/** The pages that they ask for next (wakanda-client's `nextPage`, `more` and `fetch`). */
const pages: readonly (readonly [query: string, page: Page])[] = [
  ['?$limit=5&$skip=5&$method=subentityset', { top: 5, skip: 5 }],
  ['?$limit=5&$method=subentityset', { top: 5 }],
  ['?$limit=5&$skip=100000&$method=subentityset', { top: 5, skip: 100_000 }],
  [
    '?$expand=employer&$limit=5&$skip=5&$method=subentityset',
    { expand: 'employer', top: 5, skip: 5 },
  ],
  [
    '?$expand=employer,projects&$limit=2&$method=subentityset',
    { expand: 'employer,projects', top: 2 },
  ],
  ['?$limit=0&$method=subentityset', { top: 0 }],
  ['?$limit=3&$method=subentityset&$timeout=300', { top: 3 }],
  [`?$limit=3&$method='subentityset'`, { top: 3 }],
];

const byName = sortedBy(staff, 'HIRE_DT', 'desc');

/** Entity sets as clients of the family ask for them (§4.6; DECISIONS, "What clients send"). */
export const clientSetCases: readonly SequenceCase[] = [
  ...made.map(([url, slots, page]) => ({
    title: `§4.6 pages of a set by $method=subentityset: ${url}`,
    run: async (rest: Client) => {
      const set = await EntitySet.make(rest, url, 'Employee', slots, page);
      for (const [query, asked] of pages) await set.pages(query, asked);
    },
  })),
  ...['hireDate DESC', '"hireDate DESC"', "'hireDate desc'"].map((order) => ({
    title: `§4.6 a page of a set by $method=subentityset, in the order of $subOrderby=${order}`,
    run: async (rest: Client) => {
      const set = await EntitySet.make(
        rest,
        'Company(1)/employees?$expand=employees&$method=subentityset',
        'Employee',
        staff,
      );
      const query = `?$limit=5&$skip=5&$method=subentityset&$subOrderby=${order}`;
      await set.pages(query, { top: 5, skip: 5 }, byName);
      await set.holds();
    },
  })),
  {
    title: '§4.6 a set that $method=subentityset narrows or sorts is another one',
    run: async (rest) => {
      const all = rowsOf('Employee');
      const set = await EntitySet.make(rest, 'Employee?$top=5&$method=entityset', 'Employee', all, {
        top: 5,
      });
      const narrowed = await set.makes(
        '?$filter="grade < 5"&$limit=5&$method=subentityset',
        cheap,
        {
          top: 5,
        },
      );
      await narrowed.pages('?$limit=5&$skip=5&$method=subentityset', { top: 5, skip: 5 });
      const sorted = await set.makes(
        '?$orderby=ID desc&$limit=5&$method=subentityset',
        all.toReversed(),
        { top: 5 },
      );
      await sorted.pages('?$limit=5&$skip=5&$method=subentityset', { top: 5, skip: 5 });
      await set.holds();
    },
  },
];
