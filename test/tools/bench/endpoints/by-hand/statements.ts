/** A statement with its name, by which the server knows it again. Parameters are in the order of the values that a handler gives. */
export interface Prepared {
  readonly name: string;
  readonly text: string;
}

/** The SQL of all handlers, which each dialect writes in its own words; behind each are its parameters. */
export interface Statements {
  /** id */
  readonly employee: Prepared;
  /** limit, offset */
  readonly employees: Prepared;
  readonly employeeCount: Prepared;
  /** limit, offset, last name */
  readonly named: Prepared;
  readonly namedCount: Prepared;
  /** limit, offset, name of the company */
  readonly ofCompany: Prepared;
  readonly ofCompanyCount: Prepared;
  /** limit, offset, site */
  readonly ofSite: Prepared;
  readonly ofSiteCount: Prepared;
  /** limit, offset, city of the employee's company */
  readonly linesOfCity: Prepared;
  readonly linesOfCityCount: Prepared;
  /** limit, offset */
  readonly employed: Prepared;
  /** ids of employees */
  readonly linesOf: Prepared;
  readonly employeeIds: Prepared;
  /** ids */
  readonly employeesOf: Prepared;
  /** id, version, grade */
  readonly updateGrade: Prepared;
  /** JSON of an array of objects */
  readonly insertEntries: Prepared;
  /** JSON of an array of objects */
  readonly deleteEntries: Prepared;
  /** JSON of an array of objects */
  readonly updatePrices: Prepared;
  /** the last id */
  readonly quantities: Prepared;
  /** limit, offset */
  readonly wides: Prepared;
  readonly wideCount: Prepared;
  /** id */
  readonly article: Prepared;
  /** limit, offset */
  readonly articles: Prepared;
  readonly articleCount: Prepared;
}

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

/** The statements by their texts, each named as its member. */
export function named(texts: Readonly<Record<keyof Statements, string>>): Statements {
  const entries = Object.entries(texts).map(([name, text]) => [name, { name, text }]);
  return Object.fromEntries(entries) as Statements;
}
