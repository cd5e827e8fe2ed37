/** A statement with its name, by which the server knows it again. Parameters are in the order of the values that a handler gives. */
export interface Prepared {
  readonly name: string;
  readonly text: string;
}

/** The SQL of all handlers, which each dialect writes in its own words. */
export interface Statements {
  /** id */
  readonly employee: Prepared;
  /** limit, offset */
  readonly employees: Prepared;
  readonly employeeCount: Prepared;
  /** limit, offset */
  readonly wides: Prepared;
  readonly wideCount: Prepared;
}

/** A database with its own words. */
export interface Sql {
  readonly statements: Statements;
  /** @param values numbers and texts, as the statement's parameters are typed */
  readonly query: <Row>(
    statement: Prepared,
    values: readonly (number | string)[],
  ) => Promise<readonly Row[]>;
  readonly close: () => Promise<void>;
}
