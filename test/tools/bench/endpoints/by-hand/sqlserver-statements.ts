import {
  ARTICLE,
  COMPANY,
  EMPLOYEE,
  LINE,
  LINES_OF_COMPANY,
  OF_COMPANY,
} from './postgres-statements.ts';
import { named } from './statements.ts';

const STAMP = '(SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1) AS stamp';

const PAGE = 'OFFSET @p2 ROWS FETCH NEXT @p1 ROWS ONLY';

/** The columns of the wide table. */
const WIDE = Array.from(
  { length: 38 },
  (_, index) => `c${String(index + 1).padStart(2, '0')}`,
).join(', ');

const SAVED_EMPLOYEE = EMPLOYEE.replaceAll(/\be\./g, 'inserted.');

const SAVED_LINE = LINE.replaceAll(/(\w+)/g, 'inserted.$1');

/** SQL Server's words. */
export const sqlServerStatements = named({
  employee: `SELECT ${EMPLOYEE} FROM app.employee e WHERE id = @p1`,
  employees: `SELECT ${EMPLOYEE}, ${STAMP} FROM app.employee e ORDER BY id ${PAGE}`,
  employeeCount: 'SELECT COUNT(*) AS count FROM app.employee',
  named: `SELECT ${EMPLOYEE}, ${STAMP} FROM app.employee e WHERE last_name = @p3 ORDER BY id ${PAGE}`,
  namedCount: 'SELECT COUNT(*) AS count FROM app.employee WHERE last_name = @p1',
  ofCompany: `SELECT ${EMPLOYEE}, ${STAMP} FROM ${OF_COMPANY} WHERE c.name = @p3 ORDER BY e.id ${PAGE}`,
  ofCompanyCount: `SELECT COUNT(*) AS count FROM ${OF_COMPANY} WHERE c.name = @p1`,
  ofSite: `SELECT ${EMPLOYEE}, ${STAMP} FROM app.employee e WHERE site = @p3 ORDER BY id ${PAGE}`,
  ofSiteCount: 'SELECT COUNT(*) AS count FROM app.employee WHERE site = @p1',
  linesOfCity: `SELECT l.*, ${STAMP} FROM ${LINES_OF_COMPANY} WHERE c.city = @p3 ORDER BY l.id ${PAGE}`,
  linesOfCityCount: `SELECT COUNT(*) AS count FROM ${LINES_OF_COMPANY} WHERE c.city = @p1`,
  employed: `SELECT ${EMPLOYEE}, ${COMPANY}, ${STAMP} FROM ${OF_COMPANY} ORDER BY e.id ${PAGE}`,
  linesOf: `SELECT ${LINE} FROM app.order_line WHERE employee_id IN (SELECT CONVERT(int, value) FROM OPENJSON(@p1)) ORDER BY employee_id, id`,
  employeeIds: 'SELECT id FROM app.employee ORDER BY id',
  employeesOf: `SELECT ${EMPLOYEE}, ${STAMP} FROM OPENJSON(@p1) k JOIN app.employee e ON e.id = CONVERT(int, k.value) ORDER BY CONVERT(int, k.[key])`,
  updateGrade: `UPDATE app.employee SET grade = @p3, ver = ver + 1 OUTPUT ${SAVED_EMPLOYEE} WHERE id = @p1 AND ver = @p2`,
  insertEntries: `INSERT INTO app.entry (${LINE}) OUTPUT ${SAVED_LINE} SELECT id, employee_id, product, quantity, price, 1 FROM OPENJSON(@p1) WITH (id int, employee_id int, product varchar(40), quantity int, price decimal(12,2))`,
  deleteEntries:
    'DELETE FROM app.entry OUTPUT deleted.id FROM (SELECT id, ver FROM OPENJSON(@p1) WITH (id int, ver int)) r WHERE entry.id = r.id AND entry.ver = r.ver',
  updatePrices: `UPDATE app.order_line SET price = r.price, ver = order_line.ver + 1 OUTPUT ${SAVED_LINE} FROM (SELECT id, ver, price FROM OPENJSON(@p1) WITH (id int, ver int, price decimal(12,2))) r WHERE order_line.id = r.id AND order_line.ver = r.ver`,
  quantities:
    'SELECT COUNT(quantity) AS count, SUM(quantity) AS sum, MIN(quantity) AS min, MAX(quantity) AS max FROM app.order_line WHERE id <= @p1',
  wides: `SELECT id, ${WIDE}, ver, ${STAMP} FROM app.wide ORDER BY id ${PAGE}`,
  wideCount: 'SELECT COUNT(*) AS count FROM app.wide',
  article: `SELECT ${ARTICLE} FROM app.article WHERE id = @p1`,
  articles: `SELECT ${ARTICLE}, ${STAMP} FROM app.article ORDER BY id ${PAGE}`,
  articleCount: 'SELECT COUNT(*) AS count FROM app.article',
});
