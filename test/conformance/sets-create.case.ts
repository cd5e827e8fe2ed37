import type { DataclassName } from './dataclasses.ts';
import { EntitySet } from './entity-set.ts';
import { document } from './entities.case.ts';
import { encoded, sortedBy } from './finders.ts';
import { inKeyOrder, related, rowAt, rowsOf, type Page, type Row } from './oracle.ts';
import { type SequenceCase, sequence } from './suite.ts';
import { refusal } from './values.ts';

/** A read that makes a set: its URL without `$method=entityset`, and what the set holds. */
interface Creation {
  readonly what: string;
  readonly dataclass: DataclassName;
  readonly path: string;
  readonly rows: readonly Row[];
  /** What of the set the answer to its creation shows. */
  readonly page?: Page;
}

function all(what: string, dataclass: DataclassName, query = '', rows?: readonly Row[]): Creation {
  return {
    what,
    dataclass,
    path: `${dataclass}${query}`,
    rows: rows ?? inKeyOrder(dataclass, rowsOf(dataclass)),
  };
}

const employees = rowsOf('Employee');
const graded = employees.filter(({ GRADE_CD }) => GRADE_CD === 9);
const sent = (page: string): string => `?$filter="grade=9"&${page}`;

const collections: readonly Creation[] = [
  all('all, by whole numbers', 'Employee'),
  all('all, by text', 'Category', '?$orderby=position', rowsOf('Category')),
  all('all, by codes padded by CHAR', 'Country', '?$orderby=isoNumber', [
    ...sortedBy(rowsOf('Country'), 'ISO_NUM', 'asc'),
  ]),
  all('all, by GUIDs', 'Document', '?$orderby=createdAt', rowsOf('Document')),
  all('all, by dates', 'Holiday'),
  all('all, by keys of two numbers', 'Assignment'),
  all('all, by keys of a code and a date', 'ExchangeRate'),
  all('all of a view', 'DirectoryEntry'),
  all('all of a view that adds up', 'CompanyTurnover'),
  all('$filter', 'Employee', '?$filter="grade=9"', graded),
  all(
    '$filter with $params',
    'Employee',
    `?$filter="grade=:1"&$params='${encoded('[9]')}'`,
    graded,
  ),
  all(
    '$filter over a relation to one',
    'Employee',
    '?$filter="employer.country.code=DK"',
    employees.filter((row) => {
      const [employer] = related('Employee', row, 'employer');
      return employer?.['CTRY_CD'] === 'DK';
    }),
  ),
  all(
    '$filter over a relation to many',
    'Employee',
    '?$filter="projects.ID=1"',
    employees.filter((row) =>
      related('Employee', row, 'projects').some(({ PRJ_ID }) => PRJ_ID === 1),
    ),
  ),
  all('$filter that finds nothing', 'Employee', '?$filter="ID<0"', []),
  all('$orderby', 'Employee', '?$orderby="ID desc"', employees.toReversed()),
  all(
    '$orderby of several attributes',
    'Employee',
    '?$orderby="grade desc,hireDate,ID"',
    sortedBy(sortedBy(employees, 'HIRE_DT', 'asc'), 'GRADE_CD', 'desc'),
  ),
  all(
    '$filter and $orderby',
    'OrderLine',
    '?$filter="orderNo<40"&$orderby="quantity desc,orderNo,line"',
    sortedBy(
      rowsOf('OrderLine').filter(({ ORD_NO }) => ORD_NO < 40),
      'QTY',
      'desc',
    ),
  ),
];

/** The page shows some, the set holds all. */
const pages: readonly Creation[] = [
  { ...all('$top', 'Employee', sent('$top=2'), graded), page: { top: 2 } },
  { ...all('$limit', 'Employee', sent('$limit=2'), graded), page: { top: 2 } },
  { ...all('$skip', 'Employee', sent('$skip=3'), graded), page: { skip: 3 } },
  {
    ...all('$skip and $top', 'Employee', sent('$skip=3&$top=2'), graded),
    page: { skip: 3, top: 2 },
  },
  { ...all('$top=0', 'Employee', sent('$top=0'), graded), page: { top: 0 } },
  { ...all('$skip past the end', 'Employee', sent('$skip=999'), graded), page: { skip: 999 } },
  {
    ...all('$attributes', 'Employee', sent('$attributes=lastName,employer.name'), graded),
    page: { attributes: 'lastName,employer.name' },
  },
  {
    ...all('an attribute list in the path', 'Employee', `/lastName${sent('$top=3')}`, graded),
    page: { attributes: 'lastName', top: 3 },
  },
  {
    ...all('$expand to one', 'Employee', sent('$expand=employer'), graded),
    page: { expand: 'employer' },
  },
  {
    ...all('$expand to many', 'Employee', sent('$expand=projects&$top=4'), graded),
    page: { expand: 'projects', top: 4 },
  },
];

function keyed(dataclass: DataclassName, key: string, ...rows: readonly Row[]): Creation {
  return { what: `${dataclass}${key}`, dataclass, path: `${dataclass}${key}`, rows };
}

const keys: readonly Creation[] = [
  keyed('Employee', '(3)', rowAt('Employee', 3)),
  keyed('Employee', '["3"]', rowAt('Employee', 3)),
  keyed('Employee', ':email(marie.dubois@acme.example)', rowAt('Employee', 1)),
  keyed('Country', '(FR)', rowAt('Country', 'FR')),
  keyed('Category', '("AC/DC")', rowAt('Category', 'AC/DC')),
  keyed('Document', `(${document})`, rowAt('Document', document)),
  keyed('Holiday', '(2024-07-14)', rowAt('Holiday', '2024-07-14')),
  keyed('OrderLine', '(7;2)', rowAt('OrderLine', 7, 2)),
  keyed('OrderLine', '({"orderNo":7,"line":2})', rowAt('OrderLine', 7, 2)),
  keyed('ExchangeRate', '(USD;2024-01-02)', rowAt('ExchangeRate', 'USD', '2024-01-02')),
  keyed('CompanyTurnover', '(1)', rowAt('CompanyTurnover', 1)),
  keyed('Employee', '(3,9999,1,3,2)', ...employees.slice(0, 3)),
  keyed('Employee', '(1,2,3)?$orderby="ID desc"', ...employees.slice(0, 3).toReversed()),
  keyed('Employee', '(9998,9999)'),
  keyed('OrderLine', '(7;2,1;1,7;9)', rowAt('OrderLine', 1, 1), rowAt('OrderLine', 7, 2)),
  keyed(
    'Document',
    `(${document},${document.replace(/1$/, '2')})?$orderby=createdAt`,
    ...rowsOf('Document').slice(0, 2),
  ),
  keyed(
    'Category',
    '("AC/DC",Tools)?$orderby=position',
    ...rowsOf('Category').filter(({ CAT_CD }) => ['AC/DC', 'Tools'].includes(CAT_CD)),
  ),
];

/** Makes the set, and reads all of it. */
function creates({ what, dataclass, path, rows, page }: Creation): SequenceCase {
  const joint = path.includes('?') ? '&' : '?';
  return sequence(`§4.6 $method=entityset of ${what}`, async (rest) => {
    const url = `${path}${joint}$method=entityset`;
    const set = await EntitySet.make(rest, url, dataclass, rows, page);
    await set.holds();
  });
}

/** What clients of the family write (DECISIONS, "Entity sets in URLs"). */
const spellings: readonly (readonly [query: string, page?: Page])[] = [
  [`?$filter="grade=9"&$method='entityset'&$top='5'`, { top: 5 }],
  ['?$method="entityset"&$filter=grade=9'],
  ['/?$filter="grade=9"&$method=entityset'],
  ['?%24method=entityset&%24filter=%22grade=9%22'],
  ['?$filter="grade=9"&$method=entityset&$timeout=60'],
  ['?$filter="grade=9"&$method=entityset&$timeout="60"'],
  ['?$filter="grade=9"&$method=entityset&$timeout=7200&$format=json'],
];

const refusals: readonly (readonly [query: string, errCode: number, ...says: readonly RegExp[]])[] =
  [
    ...['abc', '-1', '0', '1.5', '', '99999999999999999999'].map(
      (timeout) =>
        [
          `$method=entityset&$timeout=${timeout}`,
          9007,
          /\$timeout/,
          /expected a whole number/,
        ] as const,
    ),
    ['$timeout=60', 1813, /\$timeout/],
    ['$savedfilter="ID=1"', 1813, /\$savedfilter/],
  ];

export const sequences: readonly SequenceCase[] = [
  ...[...collections, ...pages, ...keys].map(creates),
  ...spellings.map(([query, page]) =>
    sequence(`§4.6 a creation as clients write it: Employee${query}`, async (rest) => {
      await EntitySet.make(rest, `Employee${query}`, 'Employee', graded, page);
    }),
  ),
  sequence('§2.3 the URI of a set leads to it as it stands in the answer', async (rest) => {
    const set = await EntitySet.make(
      rest,
      'Project?$method=entityset',
      'Project',
      rowsOf('Project'),
    );
    await set.reads();
    await set.reads('?$top=7', { top: 7 });
  }),
  sequence('§2.3 each creation makes a set of its own', async (rest) => {
    const url = 'Employee?$filter="grade=9"&$method=entityset';
    const one = await EntitySet.make(rest, url, 'Employee', graded);
    const other = await EntitySet.make(rest, url, 'Employee', graded);
    await one.release();
    await other.reads();
  }),
  ...refusals.map(([query, errCode, ...says]) =>
    sequence(`§7 ${errCode} Employee?${query}`, async (rest) => {
      const url = `Employee?${query}`;
      await rest.answers({ method: 'GET', url }, refusal(errCode, ...says), 400);
    }),
  ),
];
