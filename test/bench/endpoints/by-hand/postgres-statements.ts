import type { Statements } from './statements.ts';

/** The number by which the gateway tells that something has changed, read with the page. */
const STAMP = '(SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint) AS stamp';

const EMPLOYEE = 'id, first_name, last_name, grade, salary, hired, active, company_id, ver';

export const postgresStatements: Statements = {
  employee: {
    name: 'employee',
    text: `SELECT ${EMPLOYEE} FROM app.employee WHERE id = $1`,
  },
  employees: {
    name: 'employees',
    text: `SELECT ${EMPLOYEE}, ${STAMP} FROM app.employee ORDER BY id LIMIT $1 OFFSET $2`,
  },
  employeeCount: { name: 'employee-count', text: 'SELECT count(*) FROM app.employee' },
  wides: {
    name: 'wides',
    text: `SELECT *, ${STAMP} FROM app.wide ORDER BY id LIMIT $1 OFFSET $2`,
  },
  wideCount: { name: 'wide-count', text: 'SELECT count(*) FROM app.wide' },
};
