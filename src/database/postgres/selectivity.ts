import { plainStatement, type Statement } from '../../sql/ir/statement.ts';
import type { Row } from '../database.ts';
import type { IsSelective, Filtered } from './statement-query.ts';

/** How many rows are few: an index finds them quickly, in any order. */
const FEW = 250;

/** How long the answer for a table is valid, in milliseconds. */
const VALID = 600_000;

/** Finds the columns that an index begins with, and whose values are each in few rows (https://www.postgresql.org/docs/current/view-pg-stats.html). */
const fewRowsQuery = plainStatement(`SELECT s.attname
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_stats s ON s.schemaname = n.nspname AND s.tablename = c.relname AND NOT s.inherited
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = s.attname
WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind = 'r' AND NOT c.relhassubclass AND c.reltuples >= 0
AND s.n_distinct <> 0
AND COALESCE(s.most_common_freqs[1], 0) * c.reltuples <= ${FEW}
AND CASE WHEN s.n_distinct < 0 THEN -1 / s.n_distinct ELSE c.reltuples / s.n_distinct END <= ${FEW}
AND EXISTS (SELECT 1 FROM pg_catalog.pg_index i
WHERE i.indrelid = c.oid AND i.indkey[0] = a.attnum AND i.indisvalid AND i.indpred IS NULL)`);

const NO_COLUMNS: ReadonlySet<string> = new Set();

/** Knows which columns are selective. The server is asked for a table when it is first needed; until then none of its columns is. */
export class Selectivity {
  readonly #ask: (statement: Statement, values: readonly string[]) => Promise<readonly Row[]>;
  readonly #tables = new Map<
    string,
    { readonly columns: ReadonlySet<string>; readonly until: number }
  >();
  readonly #now: () => number;

  constructor(
    ask: (statement: Statement, values: readonly string[]) => Promise<readonly Row[]>,
    now: () => number = () => performance.now(),
  ) {
    this.#ask = ask;
    this.#now = now;
  }

  readonly isSelective: IsSelective = (filtered) => {
    let isFew = true;
    for (const one of filtered) {
      if (!this.#columnsOf(one).has(one.column)) isFew = false;
    }
    return isFew;
  };

  #columnsOf({ schema, table }: Filtered[number]): ReadonlySet<string> {
    const name = `${schema}\0${table}`;
    const known = this.#tables.get(name);
    const now = this.#now();
    if (known !== undefined && now < known.until) return known.columns;
    const columns = known?.columns ?? NO_COLUMNS;
    // Valid until the server has answered, and if it does not.
    this.#tables.set(name, { columns, until: now + VALID });
    this.#ask(fewRowsQuery, [schema, table]).then(
      (rows) => {
        const found = new Set(rows.map(([column]) => String(column)));
        this.#tables.set(name, { columns: found, until: this.#now() + VALID });
      },
      () => undefined,
    );
    return columns;
  }
}
