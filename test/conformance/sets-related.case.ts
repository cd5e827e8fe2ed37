import type { DataclassName } from './dataclasses.ts';
import { EntitySet } from './entity-set.ts';
import { sortedBy } from './finders.ts';
import { inKeyOrder, reach, relationTarget, rowAt, type Page, type Row } from './oracle.ts';
import { type SequenceCase, sequence } from './suite.ts';

/** A path of relations whose end becomes a set of the dataclass that it leads to. */
interface Related {
  readonly path: string;
  readonly dataclass: DataclassName;
  readonly key: readonly (string | number)[];
  readonly relations: readonly string[];
  readonly query?: string;
  readonly page?: Page;
  /** What becomes of the related entities, which stand in key order. */
  readonly narrow?: (rows: readonly Row[]) => readonly Row[];
}

const company: Related = {
  path: 'Company(1)/employees',
  dataclass: 'Company',
  key: [1],
  relations: ['employees'],
};

const either: readonly Related[] = [
  company,
  { ...company, query: '$expand=employees' },
  { ...company, query: '$top=3&$skip=1', page: { top: 3, skip: 1 } },
  { ...company, query: '$attributes=fullName', page: { attributes: 'fullName' } },
  {
    ...company,
    query: '$filter="grade>5"',
    narrow: (rows) => rows.filter(({ GRADE_CD }) => Number(GRADE_CD) > 5),
  },
  {
    path: 'Employee(1)/projects',
    dataclass: 'Employee',
    key: [1],
    relations: ['projects'],
    query: '$expand=projects',
  },
  {
    path: 'Employee(1)/employer/projects',
    dataclass: 'Employee',
    key: [1],
    relations: ['employer', 'projects'],
  },
  {
    path: 'Order(7)/lines',
    dataclass: 'Order',
    key: [7],
    relations: ['lines'],
    query: '$expand=lines',
  },
  { path: 'Employee(5)/projects', dataclass: 'Employee', key: [5], relations: ['projects'] },
  { path: 'Employee(1)/employer', dataclass: 'Employee', key: [1], relations: ['employer'] },
  {
    path: 'Employee(1)/employer',
    dataclass: 'Employee',
    key: [1],
    relations: ['employer'],
    query: '$expand=employer',
  },
  { path: 'Employee(1)/manager', dataclass: 'Employee', key: [1], relations: ['manager'] },
  {
    path: 'Employee(4)/manager/employer/country',
    dataclass: 'Employee',
    key: [4],
    relations: ['manager', 'employer', 'country'],
  },
  {
    path: 'Employee:email(marie.dubois@acme.example)/projects',
    dataclass: 'Employee',
    key: [1],
    relations: ['projects'],
  },
];

const reversed = (rows: readonly Row[]): readonly Row[] => rows.toReversed();

/** `$subOrderby` sorts what is related; ascending is the default. */
const ordered: readonly Related[] = [
  ['"ID DESC"', reversed],
  ['"ID desc"', reversed],
  ['ID%20desc', reversed],
  ['"ID ASC"', (rows: readonly Row[]) => rows],
  ['ID', (rows: readonly Row[]) => rows],
  ['"hireDate,ID"', (rows: readonly Row[]) => sortedBy(rows, 'HIRE_DT', 'asc')],
  [
    '"grade desc, hireDate"',
    (rows: readonly Row[]) => sortedBy(sortedBy(rows, 'HIRE_DT', 'asc'), 'GRADE_CD', 'desc'),
  ],
].map(([order, narrow]) => ({
  ...company,
  query: `$expand=employees&$subOrderby=${order as string}`,
  narrow: narrow as (rows: readonly Row[]) => readonly Row[],
}));

function creates(
  method: 'entityset' | 'subentityset',
  { path, dataclass, key, relations, query, page, narrow = (rows) => rows }: Related,
): SequenceCase {
  const url = `${path}?${query === undefined ? '' : `${query}&`}$method=${method}`;
  return sequence(`§4.6 a set of related entities: ${url}`, async (rest) => {
    const target = relations.reduce<string>(relationTarget, dataclass);
    const rows = narrow(
      inKeyOrder(target, reach(dataclass, rowAt(dataclass, ...key), ...relations)),
    );
    const set = await EntitySet.make(rest, url, target, rows, page);
    await set.holds();
  });
}

export const sequences: readonly SequenceCase[] = [
  ...either.flatMap((related) => [creates('subentityset', related), creates('entityset', related)]),
  ...ordered.map((related) => creates('subentityset', related)),
];
