import { finds, refuses } from './finders.ts';
import { reach, type RowOf } from './oracle.ts';
import type { Case } from './suite.ts';

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

export const reads: readonly Case[] = [
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
