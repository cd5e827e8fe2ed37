import { ExactNumber } from '../targets/gateway.ts';
import { parsed, rows } from '../rows.ts';
import type { DataclassName } from './dataclasses.ts';
import { finds, refuses } from './finders.ts';
import { reach, type Row, type RowOf } from './oracle.ts';
import type { Case } from './suite.ts';
import { jsonOf } from './values.ts';

type Employee = RowOf<'Employee'>;

const grade = ({ GRADE_CD }: Employee): number => GRADE_CD ?? -1;

/** `grade=8`, then a joining word, then `active=false`. */
const joiners: readonly (readonly [string, (row: Employee) => boolean])[] = [
  ...['AND', 'and', 'And', '&', '&&'].map(
    (word) => [word, (row: Employee) => grade(row) === 8 && !row.ACTIVE_FL] as const,
  ),
  ...['OR', 'or', '|', '||'].map(
    (word) => [word, (row: Employee) => grade(row) === 8 || !row.ACTIVE_FL] as const,
  ),
  ...['EXCEPT', 'except', '^'].map(
    (word) => [word, (row: Employee) => grade(row) === 8 && row.ACTIVE_FL] as const,
  ),
];

/** Expressions as they are read: from left to right, parentheses first. */
const expressions: readonly (readonly [string, (row: Employee) => boolean])[] = [
  ['grade=1 OR grade=2 AND active=false', (row) => [1, 2].includes(grade(row)) && !row.ACTIVE_FL],
  [
    'grade=1 OR (grade=2 AND active=false)',
    (row) => grade(row) === 1 || (grade(row) === 2 && !row.ACTIVE_FL),
  ],
  [
    'active=false AND grade=1 OR grade=2',
    (row) => (!row.ACTIVE_FL && grade(row) === 1) || grade(row) === 2,
  ],
  ['active=false AND (grade=1 OR grade=2)', (row) => !row.ACTIVE_FL && [1, 2].includes(grade(row))],
  ['((((grade=1))))', (row) => grade(row) === 1],
  ['(grade=1)OR(grade=2)', (row) => [1, 2].includes(grade(row))],
  ['grade=1||grade=2||grade=3', (row) => [1, 2, 3].includes(grade(row))],
  ['NOT(active)', (row) => !row.ACTIVE_FL],
  ['not (grade<9)', (row) => grade(row) >= 9],
  ['NOT(NOT(grade=9))', (row) => grade(row) === 9],
  ['NOT(grade=null)', (row) => row.GRADE_CD !== null],
  ['NOT(grade=1 OR grade=2) AND active=false', (row) => grade(row) > 2 && !row.ACTIVE_FL],
  ['active=false AND NOT(grade=1)', (row) => !row.ACTIVE_FL && ![-1, 1].includes(grade(row))],
  ['grade=9 EXCEPT ID<200', (row) => grade(row) === 9 && row.EMP_NO >= 200],
  ['grade>2 EXCEPT grade>4 OR grade=9', (row) => [3, 4, 9].includes(grade(row))],
  ['grade>2 EXCEPT (grade>4 OR grade=3)', (row) => grade(row) === 4],
  ['ID<=40 EXCEPT ID>10 EXCEPT ID<5', ({ EMP_NO }) => EMP_NO >= 5 && EMP_NO <= 10],
  ['NOT(ID>10 EXCEPT ID>20)', ({ EMP_NO }) => EMP_NO <= 10 || EMP_NO > 20],
];

/** EXCEPT takes entities away: one whose condition is unknown was not found by it, and stays. */
const nulls: readonly (readonly [string, (row: Employee) => boolean])[] = [
  ['ID<=100 EXCEPT grade>5', (row) => row.EMP_NO <= 100 && grade(row) <= 5],
  ['ID<=100 AND NOT(grade>5)', (row) => row.EMP_NO <= 100 && grade(row) <= 5 && grade(row) >= 0],
  ['ID<=100 EXCEPT grade!=5', (row) => row.EMP_NO <= 100 && [-1, 5].includes(grade(row))],
  ['ID<=100 EXCEPT employer.isCustomer', (row) => row.EMP_NO <= 100 && !employerIsCustomer(row)],
  ['ID<=20 EXCEPT grade=null', (row) => row.EMP_NO <= 20 && row.GRADE_CD !== null],
];

function employerIsCustomer(row: Employee): boolean {
  return reach('Employee', row, 'employer')[0]?.['IS_CUST'] === true;
}

const filterLogicReads: readonly Case[] = [
  ...joiners.map(([word, test]) => {
    const filter = `grade=8 ${word} active=false`;
    return finds(`§4.3 joined: ${filter}`, 'Employee', filter, test);
  }),
  ...expressions.map(([filter, test]) => finds(`§4.3 read: ${filter}`, 'Employee', filter, test)),
  ...nulls.map(([filter, test]) => finds(`§4.3 nulls: ${filter}`, 'Employee', filter, test)),
  finds(
    '§4.3 != leaves nulls out',
    'Employee',
    'grade != 5',
    (row) => row.GRADE_CD !== null && row.GRADE_CD !== 5,
  ),
  refuses(
    '§7 1162 600 comparisons',
    'Employee',
    Array.from({ length: 600 }, (_, n) => `ID=${n}`).join(' OR '),
    1162,
    /comparisons/,
  ),
];

/** A condition on what a path of relations leads to: at least one related entity passes. */
function path(
  dataclass: DataclassName,
  filter: string,
  relations: readonly string[],
  test: (row: Row) => boolean,
): Case {
  return finds(`§4.3 ${dataclass} by path: ${filter}`, dataclass, filter, (row) =>
    reach(dataclass, row as Row, ...relations).some(test),
  );
}

/** What a column of the related entity is: a value, one of a list, more than a number, or a text that begins so in any case. */
const passes: Readonly<Record<string, (value: unknown, other: unknown) => boolean>> = {
  is: (value, other) => value === other,
  in: (value, list) => (list as unknown[]).includes(value),
  above: (value, other) => Number(value) > Number(other),
  begins: (value, start) => String(value).toLowerCase().startsWith(String(start)),
};

const relationPaths = rows<[DataclassName, filter: string, relations: string, test: string]>`
  Employee       | employer.ID = 1                                    | employer                   | CMP_ID is 1
  Employee       | employer.name begin acme                           | employer                   | CMP_NM begins acme
  Employee       | employer.country.code = "FR"                       | employer.country           | CTRY_CD is FR
  Employee       | employer.country.inEU                              | employer.country           | EU_FL is true
  Employee       | department.code = "R&D"                            | department                 | DEPT_CD is R&D
  Employee       | department.parent.parent.code = DIR                | department.parent.parent   | DEPT_CD is DIR
  Employee       | manager.manager.lastName = Dubois                  | manager.manager            | LAST_NM is Dubois
  OrderLine      | order.billTo.country.currency = CHF                | order.billTo.country       | CURR_CD is CHF
  Company        | employees.lastName = smith                         | employees                  | LAST_NM is Smith
  Company        | employees.grade > 8                                | employees                  | GRADE_CD above 8
  Company        | employees.manager.lastName = "O'Reilly"            | employees.manager          | LAST_NM is O'Reilly
  Company        | employees.projects.status = 9                      | employees.projects         | STAT_CD is 9
  Company        | billedOrders.lines.product.category.code = "AC/DC" | billedOrders.lines.product.category | CAT_CD is AC/DC
  Employee       | projects.code = "PRJ-0001"                         | projects                   | PRJ_CD is PRJ-0001
  Employee       | projects.customer.country.code IN [DK, CH]         | projects.customer.country  | CTRY_CD in [DK, CH]
  Project        | staff.employer.ID = 2                              | staff.employer             | CMP_ID is 2
  Project        | assignments.role begin "chef"                      | assignments                | ROLE_NM begins chef
  Project        | assignments.toDate = null                          | assignments                | TO_DT is null
  Product        | orders.shipTo.ID = 3                               | orders.shipTo              | CMP_ID is 3
  Department     | subDepartments.employees.active = false            | subDepartments.employees   | ACTIVE_FL is false
  LogEntry       | employee.ID = 7                                    | employee                   | EMP_NO is 7
  DirectoryEntry | employee.grade = 255                               | employee                   | GRADE_CD is 255
`.map(([dataclass, filter, relations, test]) => {
  const [, column = '', word = '', other = ''] = /^(\w+) (\w+) (.*)$/.exec(test) ?? [];
  const value = parsed<unknown>(other);
  return path(
    dataclass,
    filter,
    relations.split('.'),
    (row) => passes[word]?.(row[column], value) === true,
  );
});

const together: readonly Case[] = [
  finds(
    '§4.3 a to-one path of no entity is null',
    'Employee',
    'employer.ID = null',
    (row) => row.COMP_ID === null,
  ),
  finds('§4.3 a path over nulls on the way is null', 'Employee', 'manager.grade = null', (row) =>
    [undefined, null].includes(reach('Employee', row as Row, 'manager')[0]?.['GRADE_CD'] as null),
  ),
  finds(
    '§4.3 != over a to-one path leaves nulls out',
    'Employee',
    'employer.ID != 1',
    (row) => ![null, 1].includes(row.COMP_ID),
  ),
  finds('§4.3 != over a to-many path: one that is not', 'Project', 'staff.ID != 1', (row) =>
    reach('Project', row as Row, 'staff').some(({ EMP_NO }) => EMP_NO !== 1),
  ),
  finds('§4.3 NOT over a to-many path: none that is', 'Project', 'NOT(staff.ID = 1)', (row) =>
    reach('Project', row as Row, 'staff').every(({ EMP_NO }) => EMP_NO !== 1),
  ),
  finds(
    '§4.3 EXCEPT over a to-many path',
    'Project',
    'status < 9 EXCEPT staff.grade >= 3',
    (row) =>
      row.STAT_CD < 9 &&
      reach('Project', row as Row, 'staff').every(({ GRADE_CD }) => Number(GRADE_CD ?? 0) < 3),
  ),
  finds(
    '§4.3 two conditions over one to-many path may be met by two entities',
    'Company',
    'employees.grade = 9 AND employees.active = false',
    (row) => {
      const staff = reach('Company', row, 'employees');
      return (
        staff.some(({ GRADE_CD }) => GRADE_CD === 9) &&
        staff.some(({ ACTIVE_FL }) => ACTIVE_FL === false)
      );
    },
  ),
  finds(
    '§4.3 paths of both kinds joined',
    'Employee',
    'employer.country.code = FR AND (projects.status = 1 OR ledProjects.ID > 0)',
    (row) =>
      reach('Employee', row as Row, 'employer').some(({ CTRY_CD }) => CTRY_CD === 'FR') &&
      (reach('Employee', row as Row, 'projects').some(({ STAT_CD }) => STAT_CD === 1) ||
        reach('Employee', row as Row, 'ledProjects').length > 0),
  ),
];

/** A property of an object attribute; undefined where it is missing. */
function property(json: string | null, ...names: readonly string[]): unknown {
  let value: unknown = json === null ? null : jsonOf(json);
  for (const name of names) value = (value as Readonly<Record<string, unknown>> | null)?.[name];
  return value;
}

function extra(filter: string, test: (value: unknown) => boolean, ...names: string[]): Case {
  return finds(`§4.3 a property: ${filter}`, 'Employee', filter, (row: RowOf<'Employee'>) =>
    test(property(row.EXTRA_JSON, ...names)),
  );
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isText = (value: unknown): value is string => typeof value === 'string';

const properties: readonly Case[] = [
  extra('extra.level = 5', (value) => value === 5, 'level'),
  extra('extra.level = 2.50', (value) => value === 2.5, 'level'),
  extra('extra.level > 3.5', (value) => isNumber(value) && value > 3.5, 'level'),
  extra('extra.level <= 1.5', (value) => isNumber(value) && value <= 1.5, 'level'),
  extra('extra.level != 5', (value) => isNumber(value) && value !== 5, 'level'),
  extra('extra.level IN [1, 2.5]', (value) => value === 1 || value === 2.5, 'level'),
  extra(
    'extra.level begin 2',
    (value) => isNumber(value) && String(value).startsWith('2'),
    'level',
  ),
  extra('extra.level % 5', (value) => isNumber(value) && String(value).includes('5'), 'level'),
  extra('extra.serial = 9007199254740993', isExactly('9007199254740993'), 'serial'),
  extra('extra.serial = 9007199254740992', isExactly('9007199254740992'), 'serial'),
  // A place is counted from 0 and has one name: these are none, and no member's name either.
  extra('extra.skills.-1 != ""', () => false),
  extra('extra.skills.00 != ""', () => false),
  extra('extra.skills.0 != ""', (value) => value !== undefined, 'skills', '0'),
  extra('extra.nick = "Bob"', (value) => value === 'Bob', 'nick'),
  extra('extra.nick = bob', (value) => value === 'Bob', 'nick'),
  extra(`extra.nick = 'the "boss"'`, (value) => value === 'The "Boss"', 'nick'),
  extra('extra.nick = "D\'Art"', (value) => value === "D'Art", 'nick'),
  extra('extra.nick != "Bob"', (value) => isText(value) && value !== 'Bob', 'nick'),
  extra('extra.nick begin k', (value) => isText(value) && /^k/i.test(value), 'nick'),
  extra('extra.nick % "OS"', (value) => isText(value) && /os/i.test(value), 'nick'),
  extra('extra.nick = "@o@"', (value) => isText(value) && /o/i.test(value), 'nick'),
  extra('extra.nick IN ["Bob","Shay"]', (value) => value === 'Bob' || value === 'Shay', 'nick'),
  extra('extra.nick = null', (value) => value === null || value === undefined, 'nick'),
  extra('extra.nick IS NOT null', isText, 'nick'),
  extra('extra.remote = true', (value) => value === true, 'remote'),
  extra('extra.remote = false', (value) => value === false, 'remote'),
  extra('extra.remote', (value) => value === true, 'remote'),
  extra('extra.address.city = Lyon', (value) => value === 'Lyon', 'address', 'city'),
  extra(
    'extra.address.geo.lat > 45',
    (value) => isNumber(value) && value > 45,
    'address',
    'geo',
    'lat',
  ),
  extra('extra.address = null', (value) => value === null || value === undefined, 'address'),
  extra('extra.nothing.there = 1', () => false, 'nothing'),
  finds(
    '§4.3 a property of real JSON: tags.risk.score >= 7.25',
    'Project',
    'tags.risk.score >= 7.25',
    (row) => {
      const value = property(row.TAGS_JSON, 'risk', 'score');
      return isNumber(value) && value >= 7.25;
    },
  ),
  finds('§4.3 a property of real JSON: tags.public', 'Project', 'tags.public', (row) => {
    return property(row.TAGS_JSON, 'public') === true;
  }),
  finds('§4.3 a property: spec.size.w < 10', 'Product', 'spec.size.w < 10', (row) => {
    const value = property(row.SPEC_JSON, 'size', 'w');
    return isNumber(value) && value < 10;
  }),
  path(
    'Employee',
    'employer.details.segment = food',
    ['employer'],
    (row) => property(row['ATTR_JSON'] as string | null, 'segment') === 'food',
  ),
  path(
    'Company',
    'employees.extra.nick = Kiki',
    ['employees'],
    (row) => property(row['EXTRA_JSON'] as string | null, 'nick') === 'Kiki',
  ),
];

function isExactly(digits: string): (value: unknown) => boolean {
  return (value) => value instanceof ExactNumber && value.digits === digits;
}

/** §4.3: relation paths and object attributes. */
const filterPathsReads: readonly Case[] = [...relationPaths, ...together, ...properties];

export const reads: readonly Case[] = [...filterLogicReads, ...filterPathsReads];
