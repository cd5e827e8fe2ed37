import type { Client } from './client.ts';
import type { DataclassName } from './dataclasses.ts';
import { EntitySet, keyAttributes } from './entity-set.ts';
import { sortedBy } from './finders.ts';
import { bareArray, inKeyOrder, rowsOf, type Row } from './oracle.ts';
import { type SequenceCase, sequence } from './suite.ts';
import { refusal } from './values.ts';

/** An id that no set has. */
const NOBODY = '0123456789ABCDEF0123456789ABCDEF';

/** How the entities of two sets are told: in the order of the first, the second's own behind them. */
const operators: readonly (readonly [
  operator: string,
  combine: (first: readonly Row[], second: readonly Row[]) => readonly Row[],
])[] = [
  ['AND', (first, second) => first.filter((row) => second.includes(row))],
  ['OR', (first, second) => [...new Set([...first, ...second])]],
  ['EXCEPT', (first, second) => first.filter((row) => !second.includes(row))],
];

/** Two reads of one dataclass and what they find. */
interface Pair {
  readonly what: string;
  readonly dataclass: DataclassName;
  readonly first: readonly [query: string, rows: readonly Row[]];
  readonly second: readonly [query: string, rows: readonly Row[]];
}

const employees = rowsOf('Employee');
const byHireDate = sortedBy(employees, 'HIRE_DT', 'asc');
const categories = rowsOf('Category');
const documents = rowsOf('Document');
const rates = inKeyOrder('ExchangeRate', rowsOf('ExchangeRate'));
const lines = rowsOf('OrderLine');
const holidays = rowsOf('Holiday');

const pairs: readonly Pair[] = [
  {
    what: 'whole numbers in two orders',
    dataclass: 'Employee',
    first: [
      '$filter="grade>6"&$orderby="ID desc"',
      employees.filter(({ GRADE_CD }) => Number(GRADE_CD) > 6).toReversed(),
    ],
    second: [
      '$filter="hireDate<2012-01-01"&$orderby="hireDate,ID"',
      byHireDate.filter(({ HIRE_DT }) => HIRE_DT < '2012-01-01'),
    ],
  },
  {
    what: 'nothing in common',
    dataclass: 'Employee',
    first: ['$filter="ID<5"', employees.slice(0, 4)],
    second: ['$filter="ID>397"', employees.slice(397)],
  },
  {
    what: 'nothing in the second',
    dataclass: 'Employee',
    first: ['$filter="ID<5"', employees.slice(0, 4)],
    second: ['$filter="ID<0"', []],
  },
  {
    what: 'nothing in the first',
    dataclass: 'Employee',
    first: ['$filter="ID<0"', []],
    second: ['$filter="ID<5"', employees.slice(0, 4)],
  },
  {
    what: 'text',
    dataclass: 'Category',
    first: [
      '$filter="position>100 and position<=200"&$orderby="position desc"',
      categories.filter(({ SORT_NO }) => SORT_NO > 100 && SORT_NO <= 200).toReversed(),
    ],
    second: [
      '$filter="position>150 and position<240"&$orderby=position',
      categories.filter(({ SORT_NO }) => SORT_NO > 150 && SORT_NO < 240),
    ],
  },
  {
    what: 'GUIDs',
    dataclass: 'Document',
    first: ['$orderby="createdAt desc"', documents.toReversed()],
    second: [
      '$filter="mimeType=application/pdf"&$orderby=createdAt',
      documents.filter(({ MIME_TP }) => MIME_TP === 'application/pdf'),
    ],
  },
  {
    what: 'dates',
    dataclass: 'Holiday',
    first: ['$filter="halfDay=false"', holidays.filter(({ HALF_FL }) => !HALF_FL)],
    second: ['$orderby="date desc"', holidays.toReversed()],
  },
  {
    what: 'a code and a date',
    dataclass: 'ExchangeRate',
    first: ['$filter="currency=USD"', rates.filter(({ CURR_CD }) => CURR_CD === 'USD')],
    second: [
      '$filter="date<2024-01-20"&$orderby="date,currency"',
      sortedBy(rates, 'RATE_DT', 'asc').filter(({ RATE_DT }) => RATE_DT < '2024-01-20'),
    ],
  },
  {
    what: 'two numbers',
    dataclass: 'OrderLine',
    first: ['$filter="orderNo<30"', lines.filter(({ ORD_NO }) => ORD_NO < 30)],
    second: [
      '$filter="orderNo>20 and orderNo<40 and line=1"',
      lines.filter(({ ORD_NO, LINE_NO }) => ORD_NO > 20 && ORD_NO < 40 && LINE_NO === 1),
    ],
  },
];

async function both(
  rest: Client,
  { dataclass, first, second }: Pair,
): Promise<readonly [EntitySet, EntitySet]> {
  const make = ([query, rows]: Pair['first']): Promise<EntitySet> =>
    EntitySet.make(rest, `${dataclass}?${query}&$top=1&$method=entityset`, dataclass, rows, {
      top: 1,
    });
  return [await make(first), await make(second)];
}

const [mixed] = pairs as [Pair, ...Pair[]];

const combinations: readonly SequenceCase[] = pairs.flatMap((pair) =>
  operators.map(([operator, combine]) =>
    sequence(`§4.7 $logicOperator=${operator}: ${pair.what}`, async (rest) => {
      const [first, second] = await both(rest, pair);
      const rows = combine(pair.first[1], pair.second[1]);
      const page = { top: 1000, attributes: keyAttributes(pair.dataclass) };
      const query = `?$logicOperator=${operator}&$otherCollection=${second.id}&$top=${page.top}&$attributes=${page.attributes}`;
      await first.reads(query, page, rows);
      const made = await first.makes(`${query}&$method=entityset`, rows, page);
      await first.release();
      await second.release();
      await made.holds();
    }),
  ),
);

/** Other ways to write `$logicOperator=EXCEPT&$otherCollection=ID`. */
const spellings: readonly ((id: string) => string)[] = [
  (id) => `?$logicOperator=except&$otherCollection=${id}`,
  (id) => `?$logicOperator=Except&$otherCollection=${id}`,
  (id) => `?$logicOperator="EXCEPT"&$otherCollection="${id}"`,
  (id) => `?$logicOperator='EXCEPT'&$otherCollection='${id}'`,
  (id) => `/?$otherCollection=${id}&$logicOperator=EXCEPT`,
  (id) => `?$logicOperator=EXCEPT&$otherCollection=/rest/Employee/$entityset/${id}`,
];

const intersections: readonly SequenceCase[] = [
  ...pairs.map((pair) =>
    sequence(`§4.7 $logicOperator=INTERSECT: ${pair.what}`, async (rest) => {
      const [first, second] = await both(rest, pair);
      const expected = pair.first[1].some((row) => pair.second[1].includes(row));
      for (const [one, other] of [
        [first, second],
        [second, first],
      ] as const) {
        await one.answers(`?$logicOperator=INTERSECT&$otherCollection=${other.id}`, expected);
      }
      await first.answers(
        `?$logicOperator=intersect&$otherCollection=${first.id}`,
        pair.first[1].length > 0,
      );
    }),
  ),
];

export const sequences: readonly SequenceCase[] = [
  ...combinations,
  ...spellings.map((spelling) =>
    sequence(`§4.7 a combination as clients write it: ${spelling('ID')}`, async (rest) => {
      const [first, second] = await both(rest, mixed);
      const rows = mixed.first[1].filter((row) => !mixed.second[1].includes(row));
      await first.reads(`${spelling(second.id)}&$top=4`, { top: 4 }, rows);
    }),
  ),
  sequence('§4.7 a page of a combination, shaped', async (rest) => {
    const [first, second] = await both(rest, mixed);
    const rows = [...new Set([...mixed.first[1], ...mixed.second[1]])];
    const query = `?$logicOperator=OR&$otherCollection=${second.id}&$skip=5&$top=20`;
    const page = { skip: 5, top: 20, attributes: 'lastName,employer.name' };
    await first.reads(`${query}&$attributes=${page.attributes}`, page, rows);
    await first.answers(
      `${query}&$asArray=true`,
      bareArray('Employee', rows, { skip: 5, top: 20 }),
    );
    const made = await first.makes(`${query}&$method=entityset`, rows, { skip: 5, top: 20 });
    await made.holds();
  }),
  sequence('§4.7 a combination narrowed and sorted', async (rest) => {
    const [first, second] = await both(rest, mixed);
    const rows = [...new Set([...mixed.first[1], ...mixed.second[1]])];
    const query = `?$logicOperator=OR&$otherCollection=${second.id}&$attributes=ID`;
    const page = { attributes: 'ID' };
    const active = rows.filter(({ ACTIVE_FL }) => ACTIVE_FL === true);
    await first.reads(`${query}&$filter="active"`, page, active);
    const sorted = inKeyOrder('Employee', active).toReversed();
    await first.reads(`${query}&$filter="active"&$orderby="ID desc"`, page, sorted);
  }),
  sequence('§4.7 the sets that are combined stay as they are', async (rest) => {
    const [first, second] = await both(rest, mixed);
    for (const [operator] of operators) {
      await first.answers(
        `?$logicOperator=${operator}&$otherCollection=${second.id}&$asArray=true&$top=0`,
        [],
      );
    }
    await first.holds();
    await second.holds();
  }),
  ...intersections,
  ...[
    `AND&$otherCollection=${NOBODY}`,
    `INTERSECT&$otherCollection=${NOBODY}`,
    'OR&$otherCollection=nothing',
  ].map((query) =>
    sequence(`§7 1820 a set: ID?$logicOperator=${query}`, async (rest) => {
      const [first] = await both(rest, mixed);
      const named = new RegExp(query.replace(/.*=/, ''));
      await first.answers(`?$logicOperator=${query}`, refusal(1820, named), 404);
    }),
  ),
];
