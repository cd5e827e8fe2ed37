import type { ProtocolError } from '../../base/errors.ts';
import { neededRefused, type ReadRows, refusalOf, unknownNote } from '../refused-statement.ts';
import {
  type CatalogRows,
  sqlServerSchemaQueries as queries,
  type SqlServerSchemaRows,
} from './rows.ts';

type QueryName = keyof typeof queries;
type Rows = Awaited<ReturnType<ReadRows>>;

/** A smaller statement in place of one that was refused. */
interface Piece {
  /** The column, table or view that it is about, for the warning where it is refused as well. */
  readonly of: string;
  readonly text: string;
  /** The statement to run then: for a part of the same, or the safe assumption. */
  readonly otherwise?: string;
}

/** A statement without which all tables can be served. */
interface Optional {
  /** For the note that it is unknown: `which columns …`. */
  readonly unknown: string;
  /** Asks the same piece by piece: one text that the engine cannot print would keep it from answering the others. */
  readonly pieces?: (rows: CatalogRows) => readonly Piece[];
}

/** Each piece is a round trip to the server, so there is a limit. */
const MOST_PIECES = 1000;

const optional: Partial<Record<QueryName, Optional>> = {
  tableKinds: { unknown: 'which tables are history or memory-optimized tables' },
  trackedTables: { unknown: 'which tables have change tracking' },
  deniedColumns: {
    unknown: 'which columns the login may not read',
    pieces: (rows) =>
      objects(rows).map(({ id, name }) => ({
        of: name,
        text: `${queries.deniedColumns} AND o.object_id = ${id}`,
      })),
  },
  unmask: { unknown: 'whether the login sees what masked columns hold' },
  sequentialDefaults: {
    unknown: 'which defaults make GUIDs in order',
    pieces: (rows) =>
      guidDefaults(rows).map(({ id, name }) => ({
        of: name,
        text: `${queries.sequentialDefaults} AND object_id = ${id}`,
      })),
  },
  derivedColumns: { unknown: 'which columns of views are computed' },
  checks: {
    unknown: 'which columns check constraints look at',
    pieces: (rows) =>
      objects(rows, 'U').map(({ id, name }) => {
        const text = `${queries.checks} AND parent_object_id = ${id}`;
        return { of: name, text, otherwise: text.replace('name, definition', 'name, NULL') };
      }),
  },
  triggers: { unknown: 'which triggers there are, and which of them stand in for changes' },
  triggerEvents: { unknown: 'which changes run triggers' },
  compound: {
    unknown: 'which views are unions or have subqueries',
    pieces: (rows) =>
      objects(rows, 'V').map(({ id, name }) => ({
        of: name,
        text: `${queries.compound} AND object_id = ${id}`,
        otherwise: `SELECT ${id}, 1`,
      })),
  },
  routines: { unknown: 'which procedures and functions there are' },
  routineParameters: { unknown: 'which parameters procedures and functions take' },
  tableTypes: { unknown: 'which table types there are' },
  descriptions: { unknown: 'what tables and columns are described as' },
};

/**
 * Runs the statements of an introspection at once. Those without which all tables can still be served may be refused: the engine cannot print the
 * text of one object, the endpoint lacks the view, or the login a right. They are sent again in pieces where that helps.
 * @returns the rows of each statement, and what is not known, in sentences without a full stop
 * @throws StartupError if a statement without which nothing can be served is refused; ProtocolError if the database is unavailable
 */
export async function readSqlServerCatalog(
  read: ReadRows,
): Promise<{ readonly rows: SqlServerSchemaRows; readonly notes: readonly string[] }> {
  const refused = new Map<QueryName, ProtocolError>();
  const run = async (name: QueryName): Promise<readonly [QueryName, Rows]> => {
    try {
      return [name, await read(queries[name])];
    } catch (error) {
      const refusal = refusalOf(error);
      if (optional[name] === undefined) throw neededRefused(queries[name], refusal);
      refused.set(name, refusal);
      return [name, []];
    }
  };
  const results = await Promise.all((Object.keys(queries) as QueryName[]).map(run));
  const rows = Object.fromEntries(results) as Record<QueryName, Rows>;
  const typed = rows as unknown as CatalogRows;
  const notes: string[] = [];
  for (const [name, refusal] of refused) {
    const { unknown = '', pieces } = optional[name] ?? {};
    const smaller = refusal.errorName === 'statementTimeout' ? undefined : pieces?.(typed);
    if (smaller === undefined || smaller.length > MOST_PIECES) {
      notes.push(unknownNote(unknown, [], refusal));
      continue;
    }
    const { found, failed } = await readPieces(smaller, read);
    rows[name] = found;
    if (failed.length > 0) notes.push(unknownNote(unknown, failed, refusal));
  }
  // Any table or view may have a trigger, whose id is that of the table, negated; and any trigger may run on all changes.
  if (refused.has('triggers')) rows.triggers = objects(typed).map(({ id }) => [-id, id, 0]);
  if (refused.has('triggers') || refused.has('triggerEvents')) {
    rows.triggerEvents = typed.triggers.flatMap(([id]) => [1, 2, 3].map((type) => [id, type]));
  }
  return { rows, notes };
}

/** Runs pieces one after the other. @returns their rows, and the names of those that have none */
async function readPieces(
  pieces: readonly Piece[],
  read: ReadRows,
): Promise<{ found: Rows; failed: string[] }> {
  const found: (readonly unknown[])[] = [];
  const failed: string[] = [];
  const isAnswered = async (text: string): Promise<boolean> => {
    try {
      found.push(...(await read(text)));
      return true;
    } catch (error) {
      refusalOf(error);
      return false;
    }
  };
  for (const { of, text, otherwise } of pieces) {
    if (await isAnswered(text)) continue;
    failed.push(of);
    if (otherwise !== undefined) await isAnswered(otherwise);
  }
  return { found, failed };
}

/** Something of the catalog, by its id and its name. */
interface CatalogObject {
  readonly id: number;
  readonly name: string;
}

/** @param type `U` for tables only, `V` for views */
function objects({ schemas, tables }: CatalogRows, type?: 'U' | 'V'): CatalogObject[] {
  const names = new Map(schemas);
  return tables
    .filter((row) => type === undefined || row[3].trim() === type)
    .map(([id, schema, name]) => ({ id, name: `${names.get(schema) ?? ''}.${name}` }));
}

/** The `system_type_id` of uniqueidentifier, and of the alias types that stand for it. */
const UNIQUEIDENTIFIER = 36;

/** The defaults of columns that hold GUIDs, each by the name of its column. */
function guidDefaults(rows: CatalogRows): CatalogObject[] {
  const guids = new Set(
    rows.types.flatMap(([id, systemId]) => (systemId === UNIQUEIDENTIFIER ? [id] : [])),
  );
  const tables = new Map(objects(rows, 'U').map(({ id, name }) => [id, name]));
  return rows.columns.flatMap((row) => {
    const [table, , column, type] = row;
    const [name, id] = [tables.get(table), row[11]];
    return name === undefined || id === 0 || !guids.has(type)
      ? []
      : [{ id, name: `${name}.${column}` }];
  });
}
