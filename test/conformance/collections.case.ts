import { expect } from 'vitest';
import { rows } from '../rows.ts';
import { readLines } from './lines.ts';
import { bareArray, collection, rowsOf, sortedBy } from './oracle.ts';
import { type Case, type SequenceCase, sequence } from './suite.ts';

const employees = rowsOf('Employee');

export const reads: readonly Case[] = [
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
      §4.2 rule 1 a long page, sent as it is read | OrderLine?$top=1201&$attributes=line,order.date | OrderLine[]
      §4.2 rule 2 the last of a long page | OrderLine?$top=700&$skip=6000&$attributes=quantity | OrderLine[]
      §4.2 a long page past the end | OrderLine?$top=700&$skip=7000 | OrderLine[]
      §4.2 a long page of nothing | OrderLine?$top=700&$filter="line<0" | none of OrderLine
      §4.2 a long page in an order of its own, of what a filter finds
        | OrderLine?$top=600&$filter="quantity>20"&$orderby="quantity desc"&$attributes=quantity | most of OrderLine
      §4.2 rule 3 a long page with what is related | Order?$top=501&$attributes=ID,lines.line | Order[]
      §4.2 rule 4 a long page as a bare array | OrderLine?$asArray=true&$top=501&$attributes=line | array OrderLine[]
      §4.2 rule 4 $asArray: numeric __KEY, no __TIMESTAMP, no deferred relations | Company?$asArray=true&$top=1 | array Company[]
      §4.2 rule 4 $asArray with $filter, $orderby, $skip and $attributes
        | Employee?$asArray=true&$filter="grade=9"&$orderby="ID desc"&$skip=2&$top=5&$attributes=lastName,grade | array graded of Employee
      §4.2 rule 4 $asArray: a text key stays text | Country?$asArray=true&$orderby=isoNumber&$top=4 | array byNumber of Country
      §4.2 rule 4 $asArray: a key of two parts stays JSON text | OrderLine?$asArray=true&$filter="orderNo=7" | array Order(7).lines[]
      §4.2 rule 4 $asArray: expanded relations are arrays themselves
        | Employee?$asArray=true&$filter="ID<3"&$attributes=lastName,employer.name,projects.name,department | array Employee(1,2)[]
      §4.2 rule 4 $asArray of nothing | Employee?$asArray=true&$filter="ID<0" | array none of Employee
      §4.2 rule 4 $asArray=false | Project?$asArray=false&$top=1 | Project[]
      §4.2 rule 4 $asArray of a dataclass without a key | LogEntry?$asArray=true&$top=2 | array LogEntry[]
      §4.2 rule 6 $format=json | Document?$format=json&$orderby=createdAt&$top=2 | stored of Document
    `,
    {
      byCost: sortedBy(rowsOf('Department'), 'COST_CTR', 'asc'),
      byNumber: sortedBy(rowsOf('Country'), 'ISO_NUM', 'asc'),
      graded: employees.filter(({ GRADE_CD }) => GRADE_CD === 9).toReversed(),
      most: sortedBy(
        rowsOf('OrderLine').filter(({ QTY }) => QTY > 20),
        'QTY',
        'desc',
      ),
      none: [],
      paid: rowsOf('Order').filter(({ PAID_FL }) => PAID_FL),
      stored: rowsOf('Document'),
    },
  ),
  {
    title: '§2.3 fields of a collection stand in the order of DECISIONS',
    url: '/rest/Company?$top=1',
    body: collection('Company', rowsOf('Company'), { top: 1 }),
    text: /^\{"__DATACLASS":"Company","__entityModel":"Company","__GlobalStamp":\d+,"__COUNT":60,"__FIRST":0,"__ENTITIES":\[\{"__KEY":"1","__TIMESTAMP":"[^"]+","__STAMP":3,.*\}\],"__SENT":1\}$/,
  },
  {
    title: '§4.2 rule 5 $queryplan tells the plans before the result',
    url: '/rest/Employee?$filter="ID<4"&$attributes=ID&$queryplan=true',
    body: expect.objectContaining({ __COUNT: 3 }),
    text: /^\{"__queryPlan":\{.*\},"__extendedQueryPlan":\{.*\},"__DATACLASS":"Employee","__entityModel"/,
  },
  {
    title: '§2.4 fields of the catalog stand in the order of the specification',
    url: '/rest/$catalog/',
    body: expect.objectContaining({ __NAME: 'Legacy ERP' }),
    text: /^\{"__UNIQID":"[0-9A-F]+","__BASEID":null,"__NAME":"Legacy ERP","properties":\{"supportJSONEntityKey":true\},"methods":\[\],"dataClasses":\[\{"name":"Assignment","uri":"\/rest\/\$catalog\/Assignment","dataURI":"/,
  },
];

/** Exports that are longer than a page, and than what is read at once. */
export const sequences: readonly SequenceCase[] = [
  sequence('§2.7 $format=csv and ndjson hold all that is selected', async (rest) => {
    const lines = async (url: string, end: string): Promise<string[]> => {
      const { text } = await rest.send({ method: 'GET', url, type: null });
      return text.split(end).slice(0, -1);
    };
    const ids = rowsOf('Employee').map(({ EMP_NO }) => String(EMP_NO));
    expect(await lines('Employee?$attributes=ID&$format=csv', '\r\n')).toEqual(['ID', ...ids]);
    const many = await lines('OrderLine?$attributes=orderNo,line&$format=csv', '\r\n');
    const count = rowsOf('OrderLine').length + 1;
    expect([many.length, new Set(many).size]).toEqual([count, count]);
    expect(await lines('LogEntry?$attributes=severity&$format=csv', '\r\n')).toHaveLength(
      rowsOf('LogEntry').length + 1,
    );
    const attributes = 'lastName,employer.name,projects.name';
    const found = await lines(`Employee?$attributes=${attributes}&$format=ndjson`, '\n');
    expect(found.map((line): unknown => JSON.parse(line))).toEqual(
      bareArray('Employee', rowsOf('Employee'), { attributes, top: ids.length }),
    );
  }),
];
