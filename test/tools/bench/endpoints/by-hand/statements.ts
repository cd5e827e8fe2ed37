/** A statement with its name, by which the server knows it again. Parameters are in the order of the values that a handler gives. */
export interface Prepared {
  readonly name: string;
  readonly text: string;
}

/** The statements of a page, whose parameters are its limit, its offset and what it is filtered by; and of the number of its rows, which has the last alone. */
export interface Paged {
  readonly page: Prepared;
  readonly count: Prepared;
}

/** What the dialects write differently. */
interface Words {
  /** Stands before the number of a parameter. */
  readonly sign: string;
  /** The end of a page. */
  readonly part: string;
  /** The number by which the gateway tells that something has changed, read with the page. */
  readonly stamp: string;
  /** The columns of the wide table. */
  readonly wide: string;
}

const EMPLOYEE =
  'e.id, e.first_name, e.last_name, e.grade, e.salary, e.hired, e.active, e.site, e.company_id, e.ver';

const COMPANY =
  'c.ver AS company_ver, c.name AS company_name, c.city AS company_city, c.credit AS company_credit, c.founded AS company_founded';

const LINE = 'id, employee_id, product, quantity, price, ver';

const ARTICLE = 'id, code, title, price, listed, active, maker_id, seller_id, buyer_id';

const OF_COMPANY = 'app.employee e JOIN app.company c ON c.id = e.company_id';

const LINES_OF_COMPANY =
  'app.order_line l JOIN app.employee e ON e.id = l.employee_id JOIN app.company c ON c.id = e.company_id';

/** The SQL of all handlers. @param own what each dialect writes in its own words: a statement of many takes its ids, or the JSON of an array of objects */
function statementsIn<Own extends string>(
  { sign, part, stamp, wide }: Words,
  own: Readonly<Record<Own, string>>,
) {
  const prepared = (name: string, text: string): Prepared => ({ name, text });
  /** @param filter what a column that is filtered by is called */
  const paged = (name: string, columns: string, from: string, id = 'id', filter = ''): Paged => {
    const where = (parameter: number): string =>
      filter === '' ? '' : ` WHERE ${filter} = ${sign}${parameter}`;
    return {
      page: prepared(
        name,
        `SELECT ${columns}, ${stamp} AS stamp FROM ${from}${where(3)} ORDER BY ${id} ${part}`,
      ),
      count: prepared(`${name}Count`, `SELECT COUNT(*) AS count FROM ${from}${where(1)}`),
    };
  };
  const employees = paged('employees', EMPLOYEE, 'app.employee e');
  const { page: employed } = paged('employed', `${EMPLOYEE}, ${COMPANY}`, OF_COMPANY, 'e.id');
  const known = Object.entries<string>(own).map(([name, text]) => [
    name,
    prepared(name, text.replace('STAMP', `${stamp} AS stamp`)),
  ]);
  return {
    ...(Object.fromEntries(known) as Readonly<Record<Own, Prepared>>),
    employee: prepared('employee', `SELECT ${EMPLOYEE} FROM app.employee e WHERE id = ${sign}1`),
    employeeIds: prepared('employeeIds', 'SELECT id FROM app.employee ORDER BY id'),
    article: prepared('article', `SELECT ${ARTICLE} FROM app.article WHERE id = ${sign}1`),
    quantities: prepared(
      'quantities',
      `SELECT COUNT(quantity) AS count, SUM(quantity) AS sum, MIN(quantity) AS min, MAX(quantity) AS max FROM app.order_line WHERE id <= ${sign}1`,
    ),
    employees,
    // Each employee has a company.
    employed: { ...employees, page: employed },
    named: paged('named', EMPLOYEE, 'app.employee e', 'id', 'last_name'),
    ofCompany: paged('ofCompany', EMPLOYEE, OF_COMPANY, 'e.id', 'c.name'),
    ofSite: paged('ofSite', EMPLOYEE, 'app.employee e', 'id', 'site'),
    linesOfCity: paged('linesOfCity', 'l.*', LINES_OF_COMPANY, 'l.id', 'c.city'),
    wides: paged('wides', wide, 'app.wide'),
    articles: paged('articles', ARTICLE, 'app.article'),
  };
}

/** PostgreSQL's words; PGlite's, too. */
export const postgresStatements = statementsIn(
  {
    sign: '$',
    part: 'LIMIT $1 OFFSET $2',
    stamp: '(SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)',
    wide: '*',
  },
  {
    linesOf: `SELECT ${LINE} FROM app.order_line WHERE employee_id = ANY($1::int[]) ORDER BY employee_id, id`,
    employeesOf: `SELECT ${EMPLOYEE}, STAMP FROM unnest($1::int[]) WITH ORDINALITY k(id, place) JOIN app.employee e ON e.id = k.id ORDER BY k.place`,
    updateGrade: `UPDATE app.employee e SET grade = $3, ver = ver + 1 WHERE id = $1 AND ver = $2 RETURNING ${EMPLOYEE}`,
    insertEntries: `INSERT INTO app.entry (${LINE}) SELECT id, employee_id, product, quantity, price, 1 FROM json_to_recordset($1::json) AS r(id int, employee_id int, product text, quantity int, price numeric) RETURNING ${LINE}`,
    deleteEntries:
      'DELETE FROM app.entry e USING json_to_recordset($1::json) AS r(id int, ver int) WHERE e.id = r.id AND e.ver = r.ver RETURNING e.id',
    updatePrices: `UPDATE app.order_line l SET price = r.price, ver = l.ver + 1 FROM json_to_recordset($1::json) AS r(id int, ver int, price numeric) WHERE l.id = r.id AND l.ver = r.ver RETURNING ${LINE.replaceAll(/(\w+)/g, 'l.$1')}`,
  },
);

/** The SQL of all handlers. */
export type Statements = typeof postgresStatements;

const SAVED_EMPLOYEE = EMPLOYEE.replaceAll(/\be\./g, 'inserted.');
const SAVED_LINE = LINE.replaceAll(/(\w+)/g, 'inserted.$1');
const WIDE = Array.from({ length: 38 }, (_, at) => `c${String(at + 1).padStart(2, '0')}`);

/** SQL Server's words. */
export const sqlServerStatements: Statements = statementsIn(
  {
    sign: '@p',
    part: 'OFFSET @p2 ROWS FETCH NEXT @p1 ROWS ONLY',
    stamp: '(SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)',
    wide: `id, ${WIDE.join(', ')}, ver`,
  },
  {
    linesOf: `SELECT ${LINE} FROM app.order_line WHERE employee_id IN (SELECT CONVERT(int, value) FROM OPENJSON(@p1)) ORDER BY employee_id, id`,
    employeesOf: `SELECT ${EMPLOYEE}, STAMP FROM OPENJSON(@p1) k JOIN app.employee e ON e.id = CONVERT(int, k.value) ORDER BY CONVERT(int, k.[key])`,
    updateGrade: `UPDATE app.employee SET grade = @p3, ver = ver + 1 OUTPUT ${SAVED_EMPLOYEE} WHERE id = @p1 AND ver = @p2`,
    insertEntries: `INSERT INTO app.entry (${LINE}) OUTPUT ${SAVED_LINE} SELECT id, employee_id, product, quantity, price, 1 FROM OPENJSON(@p1) WITH (id int, employee_id int, product varchar(40), quantity int, price decimal(12,2))`,
    deleteEntries:
      'DELETE FROM app.entry OUTPUT deleted.id FROM (SELECT id, ver FROM OPENJSON(@p1) WITH (id int, ver int)) r WHERE entry.id = r.id AND entry.ver = r.ver',
    updatePrices: `UPDATE app.order_line SET price = r.price, ver = order_line.ver + 1 OUTPUT ${SAVED_LINE} FROM (SELECT id, ver, price FROM OPENJSON(@p1) WITH (id int, ver int, price decimal(12,2))) r WHERE order_line.id = r.id AND order_line.ver = r.ver`,
  },
);

/** What a parameter takes; a list is one parameter. */
export type Value = number | string | readonly number[];

/** Runs a statement. @returns its rows, as objects */
export type Query = <Row>(statement: Prepared, values: readonly Value[]) => Promise<readonly Row[]>;

/** A database with its own words. */
export interface Sql {
  readonly statements: Statements;
  readonly query: Query;
  readonly close: () => Promise<void>;
}
