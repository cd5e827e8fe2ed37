import type { DataclassName } from './dataclasses.ts';
import { encoded, sortedBy } from './finders.ts';
import { related, relationTarget, rowAt, rowsOf, type Row } from './oracle.ts';
import { type Case, type SequenceCase, sequence } from './suite.ts';
import { EntitySet } from './entity-set.ts';
import { ends, near, numeric, ordered, valuesAt } from './value-oracle.ts';
import { refusal } from './values.ts';

const employees: readonly Row[] = rowsOf('Employee');
const grades = (rows: readonly Row[]): object =>
  numeric('Employee', 'grade', valuesAt('Employee', rows, 'grade'));

type Computing = typeof numeric;

/** All that is computed of an attribute in all rows of a dataclass. */
function all(dataclass: DataclassName, attribute: string, computed: Computing): Case {
  const values = valuesAt(dataclass, rowsOf(dataclass), attribute);
  return {
    title: `§4.10 $compute=$all of ${dataclass}.${attribute}`,
    url: `/rest/${dataclass}/${attribute}?$compute=$all`,
    body: { [attribute]: computed(dataclass, attribute, values) },
  };
}

/** The same at the end of a path of relations. */
function allAt(dataclass: DataclassName, path: readonly string[], attribute: string): Case {
  const target = path.reduce<string>(relationTarget, dataclass);
  const values = valuesAt(target, ends(dataclass, rowsOf(dataclass), path), attribute);
  const name = [...path, attribute].join('.');
  return {
    title: `§4.10 $compute=$all of ${dataclass}/${name}`,
    url: `/rest/${dataclass}/${name}?$compute=$all`,
    body: { [name]: numeric(target, attribute, values) },
  };
}

const floats = (dataclass: 'Company' | 'Project', attribute: string): Computing => {
  const values = valuesAt(dataclass, rowsOf(dataclass), attribute) as number[];
  // Floats of 4 bytes are added up as the values that they are.
  const sum = values.reduce(
    (total, value) => total + (dataclass === 'Project' ? Math.fround(value) : value),
    0,
  );
  return (...args) => ({ ...ordered(...args), sum: near(sum), average: near(sum / values.length) });
};

const counted: Computing = (_dataclass, _attribute, values) => ({ count: values.length });

const types: readonly Case[] = [
  all('Employee', 'grade', numeric),
  all('Company', 'registrationNo', numeric),
  all('Company', 'creditLimit', numeric),
  all('Project', 'budget', numeric),
  all('OrderLine', 'amount', numeric),
  all('ExchangeRate', 'rate', numeric),
  all('Company', 'latitude', floats('Company', 'latitude')),
  all('Project', 'progress', floats('Project', 'progress')),
  all('Product', 'sku', ordered),
  all('Employee', 'hireDate', ordered),
  all('Employee', 'shiftStart', ordered),
  all('Order', 'placedAt', ordered),
  all('LogEntry', 'time', ordered),
  all('Product', 'discontinued', counted),
  all('Document', 'ID', counted),
  all('Document', 'content', counted),
  all('Employee', 'extra', counted),
  allAt('Employee', ['employer'], 'creditLimit'),
  allAt('Employee', ['manager', 'employer'], 'creditLimit'),
  allAt('Company', ['employees'], 'grade'),
  allAt('Employee', ['projects'], 'ID'),
  allAt('Company', ['employees', 'projects', 'customer'], 'ID'),
  allAt('Order', ['billTo', 'employees'], 'grade'),
];

/** A property of the JSON that employees have. */
const property = (name: string): readonly unknown[] =>
  employees.flatMap(({ EXTRA_JSON: json }) => {
    if (typeof json !== 'string') return [];
    const value = (JSON.parse(json) as Readonly<Record<string, unknown>> | null)?.[name];
    return value === undefined || value === null ? [] : [value];
  });
const levels = property('level') as readonly number[];
const sumOfLevels = levels.reduce((sum, level) => sum + level, 0);

const properties: readonly Case[] = [
  {
    title: '§4.10 $compute=$all of a property that holds numbers',
    url: '/rest/Employee/extra.level?$compute=$all',
    body: {
      'extra.level': {
        count: levels.length,
        sum: sumOfLevels,
        average: expect11(sumOfLevels / levels.length),
        min: Math.min(...levels),
        max: Math.max(...levels),
      },
    },
  },
  {
    title: '§4.10 $compute=$all of a property that holds texts',
    url: '/rest/Employee/extra.nick?$compute=$all&$filter="extra.nick IN [Bob,Kiki]"',
    body: {
      'extra.nick': {
        count: property('nick').filter((nick) => nick === 'Bob' || nick === 'Kiki').length,
        min: 'Bob',
        max: 'Kiki',
      },
    },
  },
  ...(['skills', 'remote', 'address', 'nothing'] as const).map((name) => ({
    title: `§4.10 $compute=$all of a property that holds neither: ${name}`,
    url: `/rest/Employee/extra.${name}?$compute=$all`,
    body: {
      [`extra.${name}`]:
        name === 'nothing'
          ? { count: 0, sum: 0, average: null, min: null, max: null }
          : { count: property(name).length, min: null, max: null },
    },
  })),
];

function expect11(value: number): number {
  return Number(value.toFixed(11));
}

const inOrder = sortedBy(employees, 'EMP_NO', 'desc');
const ofAcme = related('Company', rowAt('Company', 1), 'employees');

/** What stands behind `/rest/`, and the employees whose grades it is about. */
const selections: readonly (readonly [path: string, rows: readonly Row[]])[] = [
  ['Employee/grade/?$compute=$all', employees],
  [`Employee/grade?$compute='$ALL'`, employees],
  ['Employee?$attributes=grade&$compute=$all', employees],
  [
    'Employee/grade?$compute=$all&$filter="grade<5"',
    employees.filter(({ GRADE_CD }) => GRADE_CD !== null && Number(GRADE_CD) < 5),
  ],
  [
    `Employee/grade?$compute=$all&$filter="employer.name=:1"&$params='${encoded('["Acme Freight & Co."]')}'`,
    ofAcme,
  ],
  [
    'Employee/grade?$compute=$all&$filter="projects.ID=1"',
    related('Project', rowAt('Project', 1), 'staff'),
  ],
  ['Employee/grade?$compute=$all&$orderby=lastName', employees],
  ['Employee/grade?$compute=$all&$top=10&$orderby="ID desc"', inOrder.slice(0, 10)],
  ['Employee/grade?$compute=$all&$limit=10&$skip=385&$orderby="ID desc"', inOrder.slice(385, 395)],
  ['Employee/grade?$compute=$all&$skip=390', employees.slice(390)],
  ['Employee/grade?$compute=$all&$top=0', []],
  ['Employee/grade?$compute=$all&$top=20000', employees],
  ['Employee/grade?$compute=$all&$filter="ID<0"', []],
  ['Employee(1,2,3,99999)/grade?$compute=$all', employees.slice(0, 3)],
  ['Employee(1)/grade?$compute=$all', employees.slice(0, 1)],
  ['Employee:email(marie.dubois@acme.example)/grade?$compute=$all', employees.slice(0, 1)],
  ['Employee(1)/manager/grade?$compute=$all', related('Employee', rowAt('Employee', 1), 'manager')],
  ['Employee(400)/manager/grade?$compute=$all', []],
  ['Company(1)/employees/grade?$compute=$all', ofAcme],
  ['Company(1)/employees?$attributes=grade&$compute=$all', ofAcme],
  ['Company(1)/employees/grade?$compute=$all&$top=2', ofAcme.slice(0, 2)],
];

const oneByOne = grades(employees) as Readonly<Record<string, unknown>>;

const failures: readonly (readonly [path: string, code: number, says: RegExp])[] = [
  ['Employee?$compute=count', 1816, /Employee\/attribute/],
  ['Employee/lastName?$compute=sum', 1813, /string.*count, min or max/],
];

export const reads: readonly Case[] = [
  ...types,
  ...properties,
  ...selections.map(([path, rows]) => ({
    title: `§4.10 ${path}`,
    url: `/rest/${path}`,
    body: { grade: grades(rows) },
  })),
  ...['count', 'sum', 'average', 'min', 'max'].map((keyword) => ({
    title: `§4.10 $compute=${keyword} is the bare value`,
    url: `/rest/Employee/grade?$compute=${keyword}`,
    body: oneByOne[keyword],
  })),
  ...failures.map(([path, code, says]) => ({
    title: `§4.10 ${code} ${path}`,
    url: `/rest/${path}`,
    status: 400,
    body: refusal(code, says),
  })),
];

export const sequences: readonly SequenceCase[] = [
  sequence('§4.10 $compute on an entity set', async (rest) => {
    const set = await EntitySet.make(
      rest,
      'Employee?$orderby="ID desc"&$method=entityset&$top=0',
      'Employee',
      inOrder,
      { top: 0 },
    );
    const isFew = ({ EMP_NO }: Row): boolean => Number(EMP_NO) < 40;
    const asks: readonly (readonly [query: string, rows: readonly Row[]])[] = [
      ['/grade?$compute=$all', inOrder],
      ['?$attributes=grade&$compute=$all', inOrder],
      ['/grade?$compute=$all&$filter="ID<40"', inOrder.filter(isFew)],
      ['/grade?$compute=$all&$top=5&$skip=2', inOrder.slice(2, 7)],
      ['/grade?$compute=$all&$top=5&$filter="ID<40"', inOrder.filter(isFew).slice(0, 5)],
      ['/grade?$compute=$all&$skip=397&$orderby=ID', inOrder.slice(0, 3)],
      ['/grade?$compute=$all&$top=0', []],
      ['/grade?$compute=$all&$skip=4000', []],
    ];
    for (const [query, rows] of asks) await set.answers(query, { grade: grades(rows) });
    const url = `Employee/grade/$entityset/${set.id}?$compute=$all`;
    await rest.answers({ method: 'GET', url }, { grade: grades(inOrder) });
    const projects = ends('Employee', inOrder.slice(0, 9), ['projects']);
    await set.answers('/projects.budget?$compute=$all&$top=9', {
      'projects.budget': numeric('Project', 'budget', valuesAt('Project', projects, 'budget')),
    });
    const few = await set.makes(
      '?$filter="ID<40"&$method=entityset&$top=0',
      inOrder.filter(isFew),
      { top: 0 },
    );
    await set.answers(`/grade?$compute=$all&$logicOperator=AND&$otherCollection=${few.id}`, {
      grade: grades(inOrder.filter(isFew)),
    });
    await few.release();
    await few.answers('/grade?$compute=sum', refusal(1802, /released/), 404);
    await few.answers('/grade?$compute=$all&$savedfilter="ID<40"', {
      grade: grades(inOrder.filter(isFew)),
    });
  }),
];
