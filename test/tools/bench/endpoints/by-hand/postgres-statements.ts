import { named } from './statements.ts';

/** The number by which the gateway tells that something has changed, read with the page. */
const STAMP = '(SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint) AS stamp';

export const EMPLOYEE =
  'e.id, e.first_name, e.last_name, e.grade, e.salary, e.hired, e.active, e.site, e.company_id, e.ver';

export const COMPANY =
  'c.ver AS company_ver, c.name AS company_name, c.city AS company_city, c.credit AS company_credit, c.founded AS company_founded';

export const LINE = 'id, employee_id, product, quantity, price, ver';

export const LINES_OF_COMPANY =
  'app.order_line l JOIN app.employee e ON e.id = l.employee_id JOIN app.company c ON c.id = e.company_id';

export const ARTICLE = 'id, code, title, price, listed, active, maker_id, seller_id, buyer_id';

export const OF_COMPANY = 'app.employee e JOIN app.company c ON c.id = e.company_id';

/** PostgreSQL's words; PGlite's, too. A statement of many takes its ids, or the JSON of an array of objects. */
export const postgresTexts = {
  employee: `SELECT ${EMPLOYEE} FROM app.employee e WHERE id = $1`,
  employees: `SELECT ${EMPLOYEE}, ${STAMP} FROM app.employee e ORDER BY id LIMIT $1 OFFSET $2`,
  employeeCount: 'SELECT count(*) FROM app.employee',
  named: `SELECT ${EMPLOYEE}, ${STAMP} FROM app.employee e WHERE last_name = $3 ORDER BY id LIMIT $1 OFFSET $2`,
  namedCount: 'SELECT count(*) FROM app.employee WHERE last_name = $1',
  ofCompany: `SELECT ${EMPLOYEE}, ${STAMP} FROM ${OF_COMPANY} WHERE c.name = $3 ORDER BY e.id LIMIT $1 OFFSET $2`,
  ofCompanyCount: `SELECT count(*) FROM ${OF_COMPANY} WHERE c.name = $1`,
  ofSite: `SELECT ${EMPLOYEE}, ${STAMP} FROM app.employee e WHERE site = $3 ORDER BY id LIMIT $1 OFFSET $2`,
  ofSiteCount: 'SELECT count(*) FROM app.employee WHERE site = $1',
  linesOfCity: `SELECT l.*, ${STAMP} FROM ${LINES_OF_COMPANY} WHERE c.city = $3 ORDER BY l.id LIMIT $1 OFFSET $2`,
  linesOfCityCount: `SELECT count(*) FROM ${LINES_OF_COMPANY} WHERE c.city = $1`,
  employed: `SELECT ${EMPLOYEE}, ${COMPANY}, ${STAMP} FROM ${OF_COMPANY} ORDER BY e.id LIMIT $1 OFFSET $2`,
  linesOf: `SELECT ${LINE} FROM app.order_line WHERE employee_id = ANY($1::int[]) ORDER BY employee_id, id`,
  employeeIds: 'SELECT id FROM app.employee ORDER BY id',
  employeesOf: `SELECT ${EMPLOYEE}, ${STAMP} FROM unnest($1::int[]) WITH ORDINALITY k(id, place) JOIN app.employee e ON e.id = k.id ORDER BY k.place`,
  updateGrade: `UPDATE app.employee e SET grade = $3, ver = ver + 1 WHERE id = $1 AND ver = $2 RETURNING ${EMPLOYEE}`,
  insertEntries: `INSERT INTO app.entry (${LINE}) SELECT id, employee_id, product, quantity, price, 1 FROM json_to_recordset($1::json) AS r(id int, employee_id int, product text, quantity int, price numeric) RETURNING ${LINE}`,
  deleteEntries:
    'DELETE FROM app.entry e USING json_to_recordset($1::json) AS r(id int, ver int) WHERE e.id = r.id AND e.ver = r.ver RETURNING e.id',
  updatePrices: `UPDATE app.order_line l SET price = r.price, ver = l.ver + 1 FROM json_to_recordset($1::json) AS r(id int, ver int, price numeric) WHERE l.id = r.id AND l.ver = r.ver RETURNING ${LINE.replaceAll(/(\w+)/g, 'l.$1')}`,
  quantities:
    'SELECT count(quantity), sum(quantity), min(quantity), max(quantity) FROM app.order_line WHERE id <= $1',
  wides: `SELECT *, ${STAMP} FROM app.wide ORDER BY id LIMIT $1 OFFSET $2`,
  wideCount: 'SELECT count(*) FROM app.wide',
  article: `SELECT ${ARTICLE} FROM app.article WHERE id = $1`,
  articles: `SELECT ${ARTICLE}, ${STAMP} FROM app.article ORDER BY id LIMIT $1 OFFSET $2`,
  articleCount: 'SELECT count(*) FROM app.article',
};

export const postgresStatements = named(postgresTexts);
