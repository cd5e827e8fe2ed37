import type { EmployeeRow, WideRow } from './rows.ts';

/** What is answered for a row of a table: the protocol's members, then the attributes. */
export type Entity = Readonly<Record<string, unknown>>;

/** What is answered for a page. */
export interface Page {
  readonly rows: readonly { readonly stamp: number }[];
  readonly entities: readonly Entity[];
  readonly count: number;
  readonly skip: number;
}

export function employee(row: EmployeeRow): Entity {
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
    company: {
      __deferred: { uri: `/rest/Company(${row.company_id})`, __KEY: String(row.company_id) },
    },
    lines: { __deferred: { uri: `/rest/Employee(${row.id})/lines?$expand=lines` } },
  };
}

/** The columns as they come, but for the counter of changes. */
export function wide(row: WideRow): Entity {
  return { __KEY: String(row.id), __STAMP: row.ver, ...row, stamp: undefined };
}

export function page(dataclass: string, { rows, entities, count, skip }: Page): Entity {
  return {
    __DATACLASS: dataclass,
    __entityModel: dataclass,
    __GlobalStamp: rows[0]?.stamp ?? 0,
    __COUNT: count,
    __FIRST: skip,
    __ENTITIES: entities,
    __SENT: entities.length,
  };
}
