import { expect } from 'vitest';
import { rows } from '../rows.ts';
import { sortedBy } from './finders.ts';
import type { DataclassName } from './dataclasses.ts';
import { readLines } from './lines.ts';
import { bareArray, collection, keyOf, related, rowsOf, type Page, type Row } from './oracle.ts';
import type { Case } from './suite.ts';
import { refusal } from './values.ts';

/** A page of a dataclass in some order of all its rows. */
function page(
  title: string,
  dataclass: DataclassName,
  query: string,
  asked: Page,
  rows: readonly Row[] = rowsOf(dataclass),
): Case {
  return { title, url: `/rest/${dataclass}${query}`, body: collection(dataclass, rows, asked) };
}

/** Rows by key, then stably by other columns, the last of them first: as `$orderby` reads. */
function ordered<R extends Row>(
  rows: readonly R[],
  ...columns: readonly (readonly [string, 'asc' | 'desc'])[]
): readonly R[] {
  return columns.reduceRight((sorted, [column, way]) => sortedBy(sorted, column, way), rows);
}

const employees = rowsOf('Employee');
const directors = employees.filter(({ DEPT_CD }) => DEPT_CD?.trim() === 'DIR');
const ids = { attributes: 'ID' };

/** A collection object of `$count=false`. */
function uncounted(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== '__COUNT'));
}

/** The employees with a column of the entity that a relation leads to put beside their own. */
function beside(relation: string, column: string, dataclass: DataclassName = 'Employee'): Row[] {
  return (rowsOf(dataclass) as readonly Row[]).map((row) => ({
    ...row,
    beside: related(dataclass, row, relation)[0]?.[column] ?? null,
  }));
}

const paging: readonly Case[] = [
  ...readLines(
    rows`
      §4.2 a collection is 100 entities where nothing is said | Employee?$attributes=ID | Employee[]
      DECISIONS $count=true answers __COUNT | Company?$count=true&$top=1 | Company[]
      §4.2 rule 1 $top | Project?$top=3 | Project[]
      §4.2 rule 1 $limit means the same | Project?$limit=3 | Project[]
      §4.2 rule 1 quoted numbers | Project?$top="3"&$skip='2' | Project[]
      §4.2 rule 1 $top past the end | Department?$top=500&$orderby=costCenter | byCost of Department
      §4.2 rule 1 $top=0 counts | Order?$top=0 | Order[]
      §4.2 rule 1 $top=0 counts what a filter finds | Order?$filter=paid&$top=0 | paid of Order
      §4.2 rule 2 $skip | Employee?$skip=10&$attributes=ID | Employee[]
      §4.2 rule 2 the next window | Employee?$skip=20&$top=10&$attributes=ID | Employee[]
      §4.2 rule 2 the last window is short | Employee?$skip=395&$top=10&$attributes=ID | Employee[]
      §4.2 rule 2 a window that ends at the end | Employee?$skip=390&$top=10&$attributes=ID | Employee[]
      §4.2 rule 2 a page past the end has __SENT 0 | Employee?$skip=400 | Employee[]
      §4.2 rule 2 a page far past the end | Employee?$skip=123456789 | Employee[]
      §4.2 an empty collection | Employee?$filter="ID<0" | none of Employee
      §2.1 entities without a key have no __KEY | LogEntry?$top=5 | LogEntry[]
      §2.3 duplicates count, each by itself | LogEntry?$skip=98&$top=6 | LogEntry[]
      §2.3 a view | CompanyTurnover?$top=7 | CompanyTurnover[]
      §2.3 a view of three tables | DirectoryEntry?$top=7 | DirectoryEntry[]
    `,
    {
      byCost: sortedBy(rowsOf('Department'), 'COST_CTR', 'asc'),
      paid: rowsOf('Order').filter(({ PAID_FL }) => PAID_FL),
      none: [],
    },
  ),
  {
    ...page('§2.3 fields of a collection stand in the order of DECISIONS', 'Company', '?$top=1', {
      top: 1,
    }),
    text: /^\{"__DATACLASS":"Company","__entityModel":"Company","__GlobalStamp":\d+,"__COUNT":60,"__FIRST":0,"__ENTITIES":\[\{"__KEY":"1","__TIMESTAMP":"[^"]+","__STAMP":3,.*\}\],"__SENT":1\}$/,
  },
  ...['Employee?', 'Employee?$filter="ID > 0"&', "Department('DIR')/employees?"].map((url) => ({
    title: `DECISIONS $count=false leaves out __COUNT: ${url}`,
    url: `/rest/${url}$count=false&$attributes=ID&$skip=2&$top=1`,
    body: uncounted(
      collection('Employee', url.startsWith('Dep') ? directors : employees, {
        ...ids,
        skip: 2,
        top: 1,
      }),
    ),
  })),
  {
    title: 'DECISIONS $count=false with $format=dashboard',
    url: '/rest/Company?$count=false&$top=0&$attributes=ID&$format=dashboard',
    body: {
      schema: [expect.objectContaining({ name: 'ID' })],
      rows: [],
      filtersApplied: false,
      __FIRST: 0,
    },
  },
  ...['$top', '$limit', '$skip'].flatMap((name) =>
    ['-1', '1.5', 'ten', '', '1e2', '99999999999999999999'].map((value) => ({
      title: `§4.2 ${name}=${value} is refused`,
      url: `/rest/Employee?${name}=${value}`,
      status: 400,
      body: refusal(9007, new RegExp(`\\${name}`), /whole number/),
    })),
  ),
];

/** Pages that are longer than what is read at once: they are sent as they are read. */
const longPages = readLines(
  rows`
    §4.2 rule 1 a long page | OrderLine?$top=1201&$attributes=line,order.date | OrderLine[]
    §4.2 rule 2 the last of a long page | OrderLine?$top=700&$skip=6000&$attributes=quantity | OrderLine[]
    §4.2 a long page past the end | OrderLine?$top=700&$skip=7000 | OrderLine[]
    §4.2 a long page of nothing | OrderLine?$top=700&$filter="line<0" | none of OrderLine
    §4.2 a long page in an order of its own, of what a filter finds
      | OrderLine?$top=600&$filter="quantity>20"&$orderby="quantity desc"&$attributes=quantity | most of OrderLine
    §4.2 rule 3 a long page with what is related | Order?$top=501&$attributes=ID,lines.line | Order[]
    §4.2 rule 4 a long page as a bare array | OrderLine?$asArray=true&$top=501&$attributes=line | array OrderLine[]
  `,
  {
    none: [],
    most: sortedBy(
      rowsOf('OrderLine').filter(({ QTY }) => QTY > 20),
      'QTY',
      'desc',
    ),
  },
);

interface Order {
  readonly what: string;
  readonly dataclass?: DataclassName;
  readonly by: string;
  readonly rows: readonly Row[];
}

const orders: readonly Order[] = [
  { what: 'ascending is the default', by: '"ID"', rows: employees },
  { what: 'DESC', by: '"ID DESC"', rows: employees.toReversed() },
  { what: 'the direction in any case', by: '"ID dEsC"', rows: employees.toReversed() },
  { what: 'ASC', by: '"ID aSc"', rows: employees },
  { what: 'without quotes', by: 'ID%20desc', rows: employees.toReversed() },
  { what: 'a plus sign is a blank', by: 'ID+desc', rows: employees.toReversed() },
  { what: 'in apostrophes', by: "'ID desc'", rows: employees.toReversed() },
  {
    what: 'several attributes in their order',
    by: '"active DESC, hireDate, ID desc"',
    rows: ordered(employees, ['ACTIVE_FL', 'desc'], ['HIRE_DT', 'asc'], ['EMP_NO', 'desc']),
  },
  {
    what: 'nulls stand first',
    by: '"grade"',
    rows: ordered(employees, ['GRADE_CD', 'asc']),
  },
  {
    what: 'nulls stand last when descending',
    by: '"grade desc,ID"',
    rows: ordered(employees, ['GRADE_CD', 'desc'], ['EMP_NO', 'asc']),
  },
  {
    what: 'times',
    by: '"shiftStart desc"',
    rows: ordered(employees, ['SHIFT_TM', 'desc']),
  },
  {
    what: 'text',
    dataclass: 'Product',
    by: 'sku',
    rows: ordered(rowsOf('Product'), ['SKU_CD', 'asc']),
  },
  {
    what: 'booleans with nulls',
    dataclass: 'Product',
    by: '"discontinued, stock desc"',
    rows: ordered(rowsOf('Product'), ['DISC_FL', 'asc'], ['STOCK_QTY', 'desc']),
  },
  {
    what: 'over a relation path',
    by: '"employer.founded desc, ID"',
    rows: ordered(beside('employer', 'FOUND_DT'), ['beside', 'desc']),
  },
  {
    what: 'over a relation path beside its own attribute',
    by: '"employer.ID, grade desc"',
    rows: ordered(beside('employer', 'CMP_ID'), ['beside', 'asc'], ['GRADE_CD', 'desc']),
  },
  {
    what: 'over two relations',
    dataclass: 'OrderLine',
    by: '"order.billTo.founded, orderNo desc, line"',
    rows: ordered(
      rowsOf('OrderLine').map((row): Row => {
        const order = related('OrderLine', row, 'order')[0] ?? {};
        return { ...row, beside: related('Order', order, 'billTo')[0]?.['FOUND_DT'] ?? null };
      }),
      ['beside', 'asc'],
      ['ORD_NO', 'desc'],
    ),
  },
];

const sorting: readonly Case[] = [
  ...orders.map(({ what, dataclass = 'Employee', by, rows }) => {
    const attributes = dataclass === 'OrderLine' ? 'line' : 'ID';
    return page(
      `§4.2 rule 3 $orderby: ${what}`,
      dataclass,
      `?$orderby=${by}&$attributes=${attributes}&$top=150`,
      { attributes, top: 150 },
      rows,
    );
  }),
  page(
    '§4.2 rule 3 $orderby before $skip and $top',
    'Employee',
    '?$orderby="hireDate desc,ID"&$skip=7&$top=5',
    { skip: 7, top: 5 },
    ordered(employees, ['HIRE_DT', 'desc']),
  ),
];

const arrays: readonly Case[] = [
  {
    title: '§4.2 rule 4 $asArray: numeric __KEY, no __TIMESTAMP, no deferred relations',
    url: '/rest/Company?$asArray=true&$top=1',
    body: bareArray('Company', rowsOf('Company'), { top: 1 }),
    text: /^\[\{"__KEY":1,"__STAMP":3,"ID":1,/,
  },
  ...readLines(
    rows`
      §4.2 rule 4 $asArray with $filter, $orderby, $skip and $attributes
        | Employee?$asArray=true&$filter="grade=9"&$orderby="ID desc"&$skip=2&$top=5&$attributes=lastName,grade | array graded of Employee
      §4.2 rule 4 $asArray: a text key stays text | Country?$asArray=true&$orderby=isoNumber&$top=4 | array byNumber of Country
      §4.2 rule 4 $asArray: a key of two parts stays JSON text | OrderLine?$asArray=true&$filter="orderNo=7" | array Order(7).lines[]
      §4.2 rule 4 $asArray: expanded relations are arrays themselves
        | Employee?$asArray=true&$filter="ID<3"&$attributes=lastName,employer.name,projects.name,department | array Employee(1,2)[]
      §4.2 rule 4 $asArray of nothing | Employee?$asArray=true&$filter="ID<0" | array none of Employee
      §4.2 rule 4 $asArray=false | Project?$asArray=false&$top=1 | Project[]
      §4.2 rule 4 $asArray of a dataclass without a key | LogEntry?$asArray=true&$top=2 | array LogEntry[]
    `,
    {
      graded: employees.filter(({ GRADE_CD }) => GRADE_CD === 9).toReversed(),
      byNumber: sortedBy(rowsOf('Country'), 'ISO_NUM', 'asc'),
      none: [],
    },
  ),
  {
    title: '§4.2 rule 6 $format=json',
    url: '/rest/Document?$format=json&$orderby=createdAt&$top=2',
    body: collection('Document', rowsOf('Document'), { top: 2 }),
    text: new RegExp(`"__KEY":"${keyOf('Document', rowsOf('Document')[0] ?? {})}"`),
  },
];

export const reads: readonly Case[] = [...paging, ...longPages, ...sorting, ...arrays];
