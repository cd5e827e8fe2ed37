/** What is tested of one SQL Server type: tables of it are made, served and asked. */
export interface TypeSpec {
  /** The dataclass and, below the schema `legacy`, the table. */
  readonly name: string;
  /** As it is declared. */
  readonly type: string;
  /** In ascending order, so that `V < value` finds those before. */
  readonly values: readonly TypeValue[];
  /** Which tests can be run: a key of the type, `=` and `IN`, `<`. */
  readonly can: readonly ('key' | 'equal' | 'less')[];
  /** Further filters over `V`, and the IDs of what they find. */
  readonly filters?: readonly (readonly [filter: string, ids: readonly number[]])[];
  /** Values that the type cannot hold: error 1508. */
  readonly refused?: readonly string[];
  /** Numbers that the type cannot hold, so that they equal none of its values. */
  readonly beyond?: readonly string[];
  /** Engines that lack the type or something of it. */
  readonly lacking?: { readonly engine: RegExp; readonly reason: string };
  /** Engines whose IN does not find what their = finds, and why. */
  readonly unlisted?: { readonly engine: RegExp; readonly reason: string };
  /** What is run before the table is made. */
  readonly before?: string;
}

/** A value of the type as T-SQL writes it, as JSON, and as a filter or the key in a URL has it. */
export interface TypeValue {
  readonly sql: string;
  readonly json: string;
  readonly url: string;
}

/** A value that is written alike in T-SQL, JSON and URLs, but for quotes. */
export function numbers(...digits: readonly string[]): readonly TypeValue[] {
  return digits.map((text) => ({ sql: text, json: text, url: text }));
}

/** Values that are text in T-SQL and in JSON. */
export function quoted(...texts: readonly (readonly [sql: string, json: string])[]): TypeValue[] {
  return texts.map(([sql, json]) => ({
    sql: `N'${sql.replaceAll("'", "''")}'`,
    json: JSON.stringify(json),
    url: `"${json}"`,
  }));
}

const BABELFISH = /Babelfish/;

/** Something that Babelfish for PostgreSQL does not do as SQL Server does. */
export function notOnBabelfish(reason: string): NonNullable<TypeSpec['lacking']> {
  return { engine: BABELFISH, reason };
}
