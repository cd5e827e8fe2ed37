import type { Database, Row } from '../../../src/database/database.ts';
import { bindStatement } from '../../../src/run/run.ts';
import type {
  Assignment,
  ColumnRef,
  StampSource,
  TableSource,
  WriteQuery,
} from '../../../src/sql/ir/ir.ts';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import { findNamed, type PhysicalSchema } from '../../../src/schema/types.ts';
import type { Statement } from '../../../src/sql/ir/statement.ts';
import { query } from '../../targets/sql.ts';

/** A part of a row: canonical text or null. */
export type Part = string | null;

/** A table as the schema's introspection finds it, with its columns as statements name them. */
export interface Found {
  readonly source: TableSource;
  readonly columns: readonly ColumnRef[];
  /** @throws Error when there is no such column */
  readonly column: (name: string) => ColumnRef;
  /** Cells for columns, by name. */
  readonly cells: (...names: readonly string[]) => Assignment[];
}

/** Finds a table by its name. */
export function find(schema: PhysicalSchema, name: string): Found {
  const table = findNamed(schema.tables, name, (item) => item.name, true);
  if (table === undefined) throw new Error(`there is no table ${name}`);
  const source = { schema: table.schema, name: table.name, alias: 't0' };
  const columns = table.columns.map((column): ColumnRef => {
    const { name, type, nullable } = column;
    return { kind: 'column', alias: source.alias, name, type, nullable };
  });
  const column = (wanted: string): ColumnRef => {
    const found = findNamed(columns, wanted, (item) => item.name, true);
    if (found === undefined) throw new Error(`there is no column ${wanted}`);
    return found;
  };
  const cells = (...names: readonly string[]): Assignment[] =>
    names.map((wanted) => ({ column: column(wanted), value: { kind: 'cell' } }));
  return { source, columns, column, cells };
}

/** Runs what a query comes to. @returns the result as text */
export async function write(
  database: Database,
  query: WriteQuery,
  rows: readonly (readonly Part[])[] = [],
  bytes: readonly Uint8Array[] = [],
): Promise<Part[][]> {
  const statement = database.dialect.printWrite(query);
  if (statement === null) return [];
  const command = bindStatement(
    statement,
    { rows, bytes },
    database.dialect,
    gatewayContext.principal.claims,
  );
  return asText(statement, (await database.run(command, gatewayContext)).rows);
}

/** All rows of a table as text, in the order of a column. */
export async function read(database: Database, table: Found, by: string): Promise<Part[][]> {
  const statement = database.dialect.print({
    kind: 'select',
    outputs: table.columns.map((operand) => ({ kind: 'value', operand })),
    from: table.source,
    joins: [],
    where: null,
    orderBy: [{ operand: table.column(by), descending: false }],
    window: null,
  });
  return asText(statement, await query(database, statement.text));
}

/** The stamp of the only row of a table. */
export async function stampOf(
  database: Database,
  table: Found,
  source: StampSource,
): Promise<string> {
  const statement = database.dialect.print({
    kind: 'select',
    outputs: [{ kind: 'stamp', source, bits: 53 }],
    from: table.source,
    joins: [],
    where: null,
    orderBy: [],
    window: null,
  });
  const [row] = asText(statement, await query(database, statement.text));
  return row?.[0] ?? '';
}

function asText({ readers }: Statement, rows: readonly Row[]): Part[][] {
  return rows.map((row) =>
    row.map((value, index) => {
      if (value === null) return null;
      return Buffer.isBuffer(value) ? value.toString('hex') : (readers[index]?.text(value) ?? '');
    }),
  );
}
