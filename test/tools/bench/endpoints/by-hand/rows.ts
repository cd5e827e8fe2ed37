/** Rows as the drivers answer them: objects whose members are columns. Those of a page have the database's counter of changes as `stamp`, which is text on SQL Server. */
interface Stamped {
  readonly ver: number;
  readonly stamp: number | string;
}

export interface EmployeeRow extends Stamped {
  readonly id: number;
  readonly first_name: string;
  readonly last_name: string;
  readonly grade: number | null;
  readonly salary: number | null;
  readonly hired: string | null;
  readonly active: boolean;
  readonly site: string;
  readonly company_id: number;
}

/** An employee with the company's columns. */
export interface EmployedRow extends EmployeeRow {
  readonly company_ver: number;
  readonly company_name: string;
  readonly company_city: string;
  readonly company_credit: number | null;
  readonly company_founded: string | null;
}

export interface LineRow {
  readonly id: number;
  readonly employee_id: number;
  readonly product: string;
  readonly quantity: number;
  readonly price: number | null;
  readonly ver: number;
}

/** A row of a table without a version. */
export interface ArticleRow {
  readonly id: number;
  readonly code: string;
  readonly title: string | null;
  readonly price: number | null;
  readonly listed: string | null;
  readonly active: boolean;
  readonly maker_id: number;
  readonly seller_id: number;
  readonly buyer_id: number;
  readonly stamp: number | string;
}

/** A wide row; its columns are spread into the answer as they come. */
export type WideRow = Stamped & { readonly id: number } & Readonly<Record<string, unknown>>;

export interface CountRow {
  readonly count: number;
}

export interface QuantitiesRow extends CountRow {
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

/** What the holder of an API key sees: the employees of one site, or the order lines of one city. */
export interface Seen {
  readonly site?: string;
  readonly city?: string;
}
