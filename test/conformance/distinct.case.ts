import type { DataclassName } from './dataclasses.ts';
import { EntitySet } from './entity-set.ts';
import { encoded, sortedBy } from './finders.ts';
import { columnOf, related, relationTarget, rowAt, rowsOf, type Row } from './oracle.ts';
import { type Case, type SequenceCase, sequence } from './suite.ts';
import { distinctOf, ends, valuesAt } from './value-oracle.ts';
import { refusal, valueOf } from './values.ts';

const employees: readonly Row[] = rowsOf('Employee');

/** The distinct values of an attribute of rows, as they are answered. */
function answered(dataclass: string, rows: readonly Row[], attribute: string): unknown[] {
  const column = columnOf(dataclass, attribute);
  return distinctOf(valuesAt(dataclass, rows, attribute)).map((value) => valueOf(column, value));
}

/** All distinct values at the end of a path. */
function all(dataclass: DataclassName, path: string): Case {
  const names = path.split('.');
  const attribute = names.pop() ?? '';
  const target = names.reduce<string>(relationTarget, dataclass);
  return {
    title: `§4.11 $distinct=true of ${dataclass}/${path}`,
    url: `/rest/${dataclass}/${path}?$distinct=true`,
    body: answered(target, ends(dataclass, rowsOf(dataclass), names), attribute),
  };
}

const grades = answered('Employee', employees, 'grade');
const budgets = answered('Project', rowsOf('Project'), 'budget');
const skus = answered('Product', rowsOf('Product'), 'sku');

/** Properties whose values sort alike everywhere. */
const property = (name: string): unknown[] => [
  ...new Set(
    employees.flatMap(({ EXTRA_JSON: json }) => {
      const value = (JSON.parse(String(json)) as Readonly<Record<string, unknown>> | null)?.[name];
      return value === undefined || value === null ? [] : [value];
    }),
  ),
];

const asked: readonly (readonly [path: string, body: readonly unknown[]])[] = [
  ['Employee/grade/?$distinct=true', grades],
  ['Employee?$attributes=grade&$distinct=true', grades],
  ['Employee/grade?$distinct=true&$top=3', grades.slice(0, 3)],
  ['Employee/grade?$distinct=true&$limit=3&$skip=2', grades.slice(2, 5)],
  ['Employee/grade?$distinct=true&$skip=9', grades.slice(9)],
  ['Employee/grade?$distinct=true&$skip=900', []],
  ['Employee/grade?$distinct=true&$top=0', []],
  ['Employee/grade?$distinct=true&$orderby=grade', grades],
  ['Employee/grade?$distinct=true&$orderby="grade desc"&$top=4', grades.toReversed().slice(0, 4)],
  ['Employee/grade?$distinct=true&$filter="grade<5"', grades.filter((grade) => Number(grade) < 5)],
  ['Employee/grade?$distinct=true&$filter="ID<0"', []],
  ['Project/budget?$distinct=true&$top=4', budgets.slice(0, 4)],
  [
    'Project?$attributes=budget&$distinct=true&$orderby="budget desc"&$top=2',
    budgets.toReversed().slice(0, 2),
  ],
  [
    `Product/sku?$distinct=true&$filter="sku>:1"&$top=5&$params='${encoded('["TL-0100"]')}'`,
    skus.filter((sku) => String(sku) > 'TL-0100').slice(0, 5),
  ],
  ['Product/discontinued?$distinct=true', [false, true]],
  [
    'Company(1)/employees/grade?$distinct=true',
    answered('Employee', related('Company', rowAt('Company', 1), 'employees'), 'grade'),
  ],
  ['Employee(1,2,3)/grade?$distinct=true', answered('Employee', employees.slice(0, 3), 'grade')],
  ['Employee(1)/grade?$distinct=true', answered('Employee', employees.slice(0, 1), 'grade')],
  ['Employee(5)/employer/name?$distinct=true', []],
  ['Employee/extra.level?$distinct=true', property('level').sort()],
  ['Employee/extra.remote?$distinct=true', property('remote').sort()],
  ['Employee/extra.skills?$distinct=true', []],
  ['Employee/extra.nothing?$distinct=true', []],
  ['Employee/extra.nick?$distinct=true&$filter="extra.nick IN [Bob,Kiki]"', ['Bob', 'Kiki']],
  // The first of NULL and null by code points.
  ['Employee/note?$distinct=true&$filter="note IN ["null","x"]"', ['NULL']],
  // Padding is none of the text's own where the mapping file says so.
  [
    'Employee/firstName?$distinct=true&$filter="firstName begin Jos"',
    answered(
      'Employee',
      employees.filter(({ FIRST_NM }) => String(FIRST_NM).toLowerCase().startsWith('jos')),
      'firstName',
    ),
  ],
];

export const reads: readonly Case[] = [
  all('Employee', 'grade'),
  all('Employee', 'hireDate'),
  all('Employee', 'shiftStart'),
  all('Company', 'registrationNo'),
  all('Company', 'creditLimit'),
  all('Company', 'latitude'),
  all('Order', 'placedAt'),
  all('Order', 'billTo.registrationNo'),
  all('Company', 'employees.grade'),
  all('Employee', 'projects.code'),
  ...asked.map(([path, body]) => ({ title: `§4.11 ${path}`, url: `/rest/${path}`, body })),
  {
    title: '§4.11 1804 Employee?$attributes=ID,grade&$distinct=true',
    url: '/rest/Employee?$attributes=ID,grade&$distinct=true',
    status: 400,
    body: refusal(1804, /position 4 of \$attributes/),
  },
];

export const sequences: readonly SequenceCase[] = [
  sequence('§4.11 $distinct on an entity set', async (rest) => {
    const inOrder = sortedBy(employees, 'EMP_NO', 'desc').slice(0, 60);
    const set = await EntitySet.make(
      rest,
      'Employee?$filter="ID>340"&$orderby="ID desc"&$method=entityset&$top=0',
      'Employee',
      inOrder,
      { top: 0 },
    );
    const ofAll = answered('Employee', inOrder, 'grade');
    const few = inOrder.filter(({ EMP_NO }) => Number(EMP_NO) < 360);
    const asks: readonly (readonly [query: string, body: readonly unknown[]])[] = [
      ['/grade?$distinct=true', ofAll],
      ['?$attributes=grade&$distinct=true&$top=3&$skip=1', ofAll.slice(1, 4)],
      ['/grade?$distinct=true&$orderby="grade desc"&$top=2', ofAll.toReversed().slice(0, 2)],
      ['/grade?$distinct=true&$filter="ID<360"', answered('Employee', few, 'grade')],
      [
        '/projects.code?$distinct=true',
        answered('Project', ends('Employee', inOrder, ['projects']), 'code'),
      ],
    ];
    for (const [query, body] of asks) await set.answers(query, body);
    const url = `Employee/grade/$entityset/${set.id}?$distinct=true`;
    await rest.answers({ method: 'GET', url }, ofAll);
  }),
];
