import { expect } from 'vitest';
import { EntitySet } from './entity-set.ts';
import { sortedBy } from './finders.ts';
import {
  collection,
  inKeyOrder,
  oneEntity,
  reach,
  rowAt,
  rowsOf,
  type Page,
  type Slots,
} from './oracle.ts';
import { type SequenceCase, sequence } from './suite.ts';

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
export const sequences: readonly SequenceCase[] = [
  ...(
    [
      [{ firstName: true, employer: { name: true } }, 'firstName,employer.name'],
      [{ '*': true, manager: { lastName: true, photo: false } }, '*,manager.lastName'],
      [
        { ID: true, projects: { code: true, lead: { ID: true } } },
        'ID,projects.code,projects.lead.ID',
      ],
      [{ 'employer.name': true, manager: {} }, 'employer.name,manager'],
      [{}, undefined],
    ] as const
  ).map(([posted, attributes]) =>
    sequence(`DECISIONS $extendedAttributes=true with ${JSON.stringify(posted)}`, async (rest) => {
      const page = { top: 5, ...(attributes === undefined ? {} : { attributes }) };
      const url = 'Employee?$extendedAttributes=true&$limit=5&$filter="grade < 5"';
      await rest.answers({ url, body: posted }, collection('Employee', cheap, page));
      const one = { url: 'Employee(1)?$extendedAttributes=true', body: posted };
      await rest.answers(one, oneEntity('Employee', rowAt('Employee', 1), page));
      const set = await EntitySet.make(
        rest,
        'Employee?$filter="grade < 5"&$method=entityset&$top=5',
        'Employee',
        cheap,
        { top: 5 },
      );
      await rest.answers(
        { url: `${set.path}?$extendedAttributes=true&$skip=1&$top=5`, body: posted },
        collection('Employee', cheap, { ...page, skip: 1 }),
      );
    }),
  ),
  ...(
    [
      ['$catalog', 'GET, HEAD, OPTIONS'],
      ['Employee', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
      ['Employee(1)', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
      ['Employee(1)/employer', 'GET, HEAD, OPTIONS'],
      ['LogEntry', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
      ['LogEntry(1)', 'OPTIONS'],
      ['$directory/login', 'POST, OPTIONS'],
      ['$upload?$binary=true', 'POST, OPTIONS'],
    ] as const
  ).map(([url, allow]) =>
    sequence(`DECISIONS OPTIONS ${url}`, async (rest) => {
      const answer = await rest.send({ method: 'OPTIONS', url });
      expect([answer.status, answer.text, answer.headers['allow']]).toEqual([204, '', allow]);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }),
  ),
  sequence(
    'DECISIONS $extendedAttributes=true without a body, and by GET, says nothing',
    async (rest) => {
      const url = 'Employee?$extendedAttributes=true&$top=2';
      for (const method of ['POST', 'GET']) {
        await rest.answers({ method, url }, collection('Employee', rowsOf('Employee'), { top: 2 }));
      }
    },
  ),
  ...made.map(([url, slots, page]) =>
    sequence(`§4.6 pages of a set by $method=subentityset: ${url}`, async (rest) => {
      const set = await EntitySet.make(rest, url, 'Employee', slots, page);
      for (const [query, asked] of pages) await set.pages(query, asked);
    }),
  ),
  ...['hireDate DESC', '"hireDate DESC"', "'hireDate desc'"].map((order) =>
    sequence(
      `§4.6 a page of a set by $method=subentityset, in the order of $subOrderby=${order}`,
      async (rest) => {
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
    ),
  ),
  ...(
    [
      ['$removeFromSet=0,3', [0, 3]],
      ['$removeFromSet="3, 0, 0"', [0, 3]],
      ['$removeFromSet=1,4000000000', [1]],
    ] as const
  ).map(([query, removed]) =>
    sequence(`DECISIONS a set without some positions: ${query}`, async (rest) => {
      const set = await EntitySet.make(rest, made[3]?.[0] ?? '', 'Employee', staff);
      const left = staff.filter((_, position) => !removed.some((one) => one === position));
      const url = `?${query}&$removeRefOnly=true&$method=entityset&$top=5`;
      const another = await set.makes(url, left, { top: 5 });
      await another.holds();
      await set.holds();
      await set.reads(`?${query}&$removeRefOnly=true&$skip=1&$top=2`, { skip: 1, top: 2 }, left);
      await set.answers(`/ID?${query}&$removeRefOnly=true&$compute=count`, left.length);
    }),
  ),
  sequence('§4.6 a set that $method=subentityset narrows or sorts is another one', async (rest) => {
    const all = rowsOf('Employee');
    const set = await EntitySet.make(rest, 'Employee?$top=5&$method=entityset', 'Employee', all, {
      top: 5,
    });
    const narrowed = await set.makes('?$filter="grade < 5"&$limit=5&$method=subentityset', cheap, {
      top: 5,
    });
    await narrowed.pages('?$limit=5&$skip=5&$method=subentityset', { top: 5, skip: 5 });
    const sorted = await set.makes(
      '?$orderby=ID desc&$limit=5&$method=subentityset',
      all.toReversed(),
      { top: 5 },
    );
    await sorted.pages('?$limit=5&$skip=5&$method=subentityset', { top: 5, skip: 5 });
    await set.holds();
  }),
];
