import type { Client } from './client.ts';
import type { DataclassName } from './dataclasses.ts';
import { EntitySet, keyAttributes } from './entity-set.ts';
import { encoded, sortedBy } from './finders.ts';
import { bareArray, inKeyOrder, related, rowsOf, type Page, type Row } from './oracle.ts';
import { type SequenceCase, sequence } from './suite.ts';

/** The newest first, which is the order of no key. */
const employees: readonly Row[] = sortedBy(rowsOf('Employee'), 'HIRE_DT', 'desc');

/** A query on the path of a set, and what it makes of the set's entities. */
interface Narrowing {
  readonly query: string;
  readonly page?: Page;
  readonly narrow: (rows: readonly Row[]) => readonly Row[];
}

const withGrade = (rows: readonly Row[]): readonly Row[] =>
  rows.filter(({ GRADE_CD }) => GRADE_CD === 9);

const byID = (rows: readonly Row[]): readonly Row[] => sortedBy(rows, 'EMP_NO', 'asc');

const narrowings: readonly Narrowing[] = [
  { query: '$filter="grade=9"', narrow: withGrade },
  { query: `$filter="grade=:1"&$params='${encoded('[9]')}'`, narrow: withGrade },
  { query: '$filter="grade=9"&$top=3&$skip=2', page: { top: 3, skip: 2 }, narrow: withGrade },
  { query: '$filter="grade=9"&$top=0', page: { top: 0 }, narrow: withGrade },
  { query: '$filter="grade=9"&$skip=999', page: { skip: 999 }, narrow: withGrade },
  {
    query: '$filter="grade=9"&$attributes=lastName,employer.name',
    page: { attributes: 'lastName,employer.name' },
    narrow: withGrade,
  },
  { query: '$filter="ID<0"', narrow: () => [] },
  {
    query: '$filter="ID>0"&$top=500&$attributes=ID',
    page: { top: 500, attributes: 'ID' },
    narrow: (rows) => rows,
  },
  {
    query: '$filter="employer.country.code=DK"',
    narrow: (rows) =>
      rows.filter((row) => related('Employee', row, 'employer')[0]?.['CTRY_CD'] === 'DK'),
  },
  {
    query: '$filter="projects.ID=1"',
    narrow: (rows) =>
      rows.filter((row) => related('Employee', row, 'projects').some(({ PRJ_ID }) => PRJ_ID === 1)),
  },
  { query: '$orderby=ID&$top=5', page: { top: 5 }, narrow: byID },
  {
    query: '$orderby="ID desc"&$top=500&$attributes=ID',
    page: { top: 500, attributes: 'ID' },
    narrow: (rows) => byID(rows).toReversed(),
  },
  {
    query: '$orderby="grade desc,ID"&$skip=37&$top=5',
    page: { skip: 37, top: 5 },
    narrow: (rows) => sortedBy(byID(rows), 'GRADE_CD', 'desc'),
  },
  {
    query: '$orderby="employer.founded,ID desc"&$attributes=ID',
    page: { attributes: 'ID' },
    narrow: (rows) =>
      sortedBy(
        byID(rows)
          .toReversed()
          .map((row) => ({
            ...row,
            beside: related('Employee', row, 'employer')[0]?.['FOUND_DT'] ?? null,
          })),
        'beside',
        'asc',
      ),
  },
  {
    query: '$filter="grade=9"&$orderby="ID desc"',
    narrow: (rows) => byID(withGrade(rows)).toReversed(),
  },
];

/** A set in some order, and what a filter leaves of it. */
interface Ordered {
  readonly dataclass: DataclassName;
  /** What the set is made of, where it is not all. */
  readonly of?: string;
  readonly order: string;
  readonly rows: readonly Row[];
  readonly filter: string;
  readonly test: (row: Row) => boolean;
}

/** The order of the set stands where nothing but `$filter` is given, whatever its keys are. */
const others: readonly Ordered[] = [
  {
    dataclass: 'Category',
    order: 'position desc',
    of: '$filter="position>100 and position<240"&',
    rows: rowsOf('Category')
      .filter(({ SORT_NO }) => SORT_NO > 100 && SORT_NO < 240)
      .toReversed(),
    filter: 'position>150',
    test: ({ SORT_NO }) => Number(SORT_NO) > 150,
  },
  {
    dataclass: 'Country',
    order: 'isoNumber desc',
    rows: sortedBy(rowsOf('Country'), 'ISO_NUM', 'desc'),
    filter: 'inEU',
    test: ({ EU_FL }) => EU_FL === true,
  },
  {
    dataclass: 'Document',
    order: 'createdAt desc',
    rows: rowsOf('Document').toReversed(),
    filter: 'mimeType=application/pdf',
    test: ({ MIME_TP }) => MIME_TP === 'application/pdf',
  },
  {
    dataclass: 'Holiday',
    order: 'date desc',
    rows: rowsOf('Holiday').toReversed(),
    filter: 'halfDay=true',
    test: ({ HALF_FL }) => HALF_FL === true,
  },
  {
    dataclass: 'Assignment',
    order: 'projectID desc,employeeID',
    rows: sortedBy(rowsOf('Assignment'), 'PRJ_ID', 'desc'),
    filter: 'billable=false',
    test: ({ BILL_FL }) => BILL_FL === false,
  },
  {
    dataclass: 'ExchangeRate',
    order: 'date desc,currency',
    rows: sortedBy(inKeyOrder('ExchangeRate', rowsOf('ExchangeRate')), 'RATE_DT', 'desc'),
    filter: 'currency=USD',
    test: ({ CURR_CD }) => CURR_CD === 'USD',
  },
  {
    dataclass: 'CompanyTurnover',
    order: 'companyID desc',
    rows: rowsOf('CompanyTurnover').toReversed(),
    filter: 'orderCount>30',
    test: ({ ORD_CNT }) => Number(ORD_CNT) > 30,
  },
];

const wholeSet = (rest: Client): Promise<EntitySet> =>
  EntitySet.make(
    rest,
    'Employee?$orderby="hireDate desc,ID"&$method=entityset&$top=0',
    'Employee',
    employees,
    { top: 0 },
  );

export const sequences: readonly SequenceCase[] = [
  ...narrowings.flatMap(({ query, page, narrow }) => [
    sequence(`§4.2 a set narrowed or sorted: ?${query}`, async (rest) => {
      const set = await wholeSet(rest);
      await set.reads(`?${query}`, page, narrow(employees));
      await set.reads('?$top=3', { top: 3 });
    }),
    sequence(`§4.2 a set from a set: ?${query}&$method=entityset`, async (rest) => {
      const set = await wholeSet(rest);
      const made = await set.makes(`?${query}&$method=entityset`, narrow(employees), page);
      await made.holds();
      await set.reads('?$top=3', { top: 3 });
    }),
  ]),
  ...others.map(({ dataclass, of = '', order, rows, filter, test }) =>
    sequence(`§4.2 $filter keeps the order of a set: ${dataclass} by ${order}`, async (rest) => {
      const url = `${dataclass}?${of}$orderby="${order}"&$method=entityset&$top=3`;
      const set = await EntitySet.make(rest, url, dataclass, rows, { top: 3 });
      const found = rows.filter(test);
      const page = { top: 1000, attributes: keyAttributes(dataclass) };
      const query = `?$filter="${filter}"&$top=${page.top}&$attributes=${page.attributes}`;
      await set.reads(query, page, found);
      const made = await set.makes(`${query}&$method=entityset`, found, page);
      await made.holds();
    }),
  ),
  sequence('§4.2 rule 4 a set narrowed and sorted, as a bare array', async (rest) => {
    const set = await wholeSet(rest);
    const rows = byID(withGrade(employees)).toReversed();
    await set.answers(
      '?$filter="grade=9"&$orderby="ID desc"&$asArray=true&$attributes=lastName&$top=4',
      bareArray('Employee', rows, { attributes: 'lastName', top: 4 }),
    );
  }),
  sequence('§4.2 a set of a set of a set', async (rest) => {
    const set = await wholeSet(rest);
    const graded = await set.makes('?$filter="grade=9"&$method=entityset', withGrade(employees));
    const sorted = await graded.makes(
      '?$orderby="ID desc"&$method=entityset',
      byID(withGrade(employees)).toReversed(),
    );
    await set.release();
    await graded.release();
    await sorted.reads('?$filter="ID>0"');
  }),
  sequence('§4.2 $method=entityset on a set copies it', async (rest) => {
    const set = await wholeSet(rest);
    const copy = await set.makes('?$method=entityset&$top=2', employees, { top: 2 });
    await set.release();
    await copy.holds();
  }),
];
