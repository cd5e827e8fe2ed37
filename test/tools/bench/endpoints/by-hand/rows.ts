/** Rows as the drivers answer them: objects whose members are columns. Those of a page have the database's counter of changes as `stamp`, which is text on SQL Server. */
interface Stamped {
  readonly ver: number;
  readonly stamp: number | string;
}

/** Columns of one type. */
type Columns<Name extends string, Value> = Readonly<Record<Name, Value>>;

export type EmployeeRow = Stamped &
  Columns<'id' | 'company_id', number> &
  Columns<'first_name' | 'last_name' | 'site', string> &
  Columns<'grade' | 'salary', number | null> & { readonly hired: string | null; active: boolean };

/** An employee with the company's columns. */
export type EmployedRow = EmployeeRow &
  Columns<'company_name' | 'company_city', string> &
  Columns<'company_credit', number | null> & {
    company_ver: number;
    company_founded: string | null;
  };

export type LineRow = Columns<'id' | 'employee_id' | 'quantity' | 'ver', number> & {
  readonly product: string;
  readonly price: number | null;
};

/** A row of a table without a version. */
export type ArticleRow = Columns<'id' | 'maker_id' | 'seller_id' | 'buyer_id', number> &
  Columns<'title' | 'listed', string | null> & {
    readonly code: string;
    readonly price: number | null;
    readonly active: boolean;
    readonly stamp: number | string;
  };

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
