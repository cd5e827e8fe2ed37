import type { postgresTexts } from './postgres-statements.ts';

/** A statement with its name, by which the server knows it again. Parameters are in the order of the values that a handler gives. */
export interface Prepared {
  readonly name: string;
  readonly text: string;
}

/** The SQL of all handlers, which each dialect writes in its own words. Parameters of a page are its limit, its offset and what it is filtered by. */
export type Statements = Readonly<Record<keyof typeof postgresTexts, Prepared>>;

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
export function named(texts: typeof postgresTexts): Statements {
  const entries = Object.entries(texts).map(([name, text]) => [name, { name, text }]);
  return Object.fromEntries(entries) as Statements;
}
