/** Rows as the drivers answer them: objects whose members are columns. Of a page, each has the database's counter of changes as `stamp`. */
interface Stamped {
  readonly ver: number;
  readonly stamp: number;
}

export interface EmployeeRow extends Stamped {
  readonly id: number;
  readonly first_name: string;
  readonly last_name: string;
  readonly grade: number | null;
  readonly salary: number | null;
  readonly hired: string | null;
  readonly active: boolean;
  readonly company_id: number;
}

/** A wide row; its columns are spread into the answer as they come. */
export type WideRow = Stamped & { readonly id: number } & Readonly<Record<string, unknown>>;

export interface CountRow {
  readonly count: number;
}
