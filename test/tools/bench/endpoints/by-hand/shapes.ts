import type { ArticleRow, EmployedRow, EmployeeRow, LineRow, WideRow } from './rows.ts';

/** What is answered for a row of a table: the protocol's members, then the attributes. */
export type Entity = Readonly<Record<string, unknown>>;

/** What is answered for a page. */
export interface Page {
  /** The database's counter of changes. */
  readonly stamp: number | string | undefined;
  readonly entities: readonly Entity[];
  readonly count: number;
  readonly skip: number;
}

const toCompany = (id: number): Entity => ({
  __deferred: { uri: `/rest/Company(${id})`, __KEY: String(id) },
});

const toEmployee = (id: number): Entity => ({
  __deferred: { uri: `/rest/Employee(${id})`, __KEY: String(id) },
});

const toLines = (id: number): Entity => ({
  __deferred: { uri: `/rest/Employee(${id})/lines?$expand=lines` },
});

/** An employee whose relations lead to what is given, or to where it is to be had. */
export function employee(
  row: EmployeeRow,
  company: Entity = toCompany(row.company_id),
  lines: Entity = toLines(row.id),
): Entity {
  return {
    __KEY: String(row.id),
    __STAMP: row.ver,
    ID: row.id,
    firstName: row.first_name,
    lastName: row.last_name,
    grade: row.grade,
    salary: row.salary,
    hired: row.hired,
    active: row.active,
    site: row.site,
    company,
    lines,
  };
}

export function employed(row: EmployedRow): Entity {
  const id = row.company_id;
  return employee(row, {
    __KEY: String(id),
    __STAMP: row.company_ver,
    ID: id,
    name: row.company_name,
    city: row.company_city,
    credit: row.company_credit,
    founded: row.company_founded,
    employees: { __deferred: { uri: `/rest/Company(${id})/employees?$expand=employees` } },
  });
}

export function line(row: LineRow): Entity {
  return { __KEY: String(row.id), __STAMP: row.ver, ...lineAttributes(row) };
}

function lineAttributes(row: LineRow): Entity {
  return {
    ID: row.id,
    product: row.product,
    quantity: row.quantity,
    price: row.price,
    employee: toEmployee(row.employee_id),
  };
}

/** An employee with the lines that were read for it. */
export function employeeWithLines(row: EmployeeRow, lines: readonly LineRow[]): Entity {
  return employee(row, undefined, {
    __ENTITYSET: `/rest/Employee(${row.id})/lines?$expand=lines`,
    __GlobalStamp: Number(row.stamp),
    __COUNT: lines.length,
    __FIRST: 0,
    __ENTITIES: lines.map(line),
    __SENT: lines.length,
  });
}

/** A row that has no version has the same stamp always. */
export function article(row: ArticleRow): Entity {
  return {
    __KEY: String(row.id),
    __STAMP: 1,
    ID: row.id,
    code: row.code,
    title: row.title,
    price: row.price,
    listed: row.listed,
    active: row.active,
    maker: toCompany(row.maker_id),
    seller: toCompany(row.seller_id),
    buyer: toEmployee(row.buyer_id),
  };
}

/** The columns as they come, but for the counter of changes. */
export function wide(row: WideRow): Entity {
  return { __KEY: String(row.id), __STAMP: row.ver, ...row, stamp: undefined };
}

export function page(dataclass: string, { stamp = 0, entities, count, skip }: Page): Entity {
  return {
    __DATACLASS: dataclass,
    __entityModel: dataclass,
    __GlobalStamp: Number(stamp),
    __COUNT: count,
    __FIRST: skip,
    __ENTITIES: entities,
    __SENT: entities.length,
  };
}

const saved = { __STATUS: { success: true } };

export function savedEmployee(row: EmployeeRow): Entity {
  const { __KEY, __STAMP, ...attributes } = employee(row);
  return {
    ...saved,
    __entityModel: 'Employee',
    __DATACLASS: 'Employee',
    __KEY,
    __STAMP,
    uri: `/rest/Employee(${row.id})`,
    ...attributes,
  };
}

export function savedLine(dataclass: string, row: LineRow): Entity {
  return {
    ...saved,
    __entityModel: dataclass,
    __DATACLASS: dataclass,
    __KEY: String(row.id),
    __STAMP: row.ver,
    uri: `/rest/${dataclass}(${row.id})`,
    ...lineAttributes(row),
  };
}
