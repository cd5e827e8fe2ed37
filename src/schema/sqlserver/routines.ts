import type { CatalogType } from './types.ts';
import { readType } from './types.ts';
import type { Routine, RoutineColumn, RoutineParameter } from '../types.ts';

/**
 * The statements of an introspection that are about routines. What a procedure returns besides its parameters is known when it is called;
 * the columns of a table-valued function are rows of sys.columns.
 * https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-objects-transact-sql
 */
export const sqlServerRoutineQueries = {
  routines: `
SELECT object_id, schema_id, name, type FROM sys.objects
WHERE type IN ('P', 'PC', 'FN', 'FS', 'IF', 'TF', 'FT') AND is_ms_shipped = 0`,
  routineParameters: `
SELECT object_id, name, parameter_id, user_type_id, max_length, precision, scale, is_output, is_cursor_ref
FROM sys.all_parameters
WHERE object_id IN (SELECT object_id FROM sys.objects
  WHERE type IN ('P', 'PC', 'FN', 'FS', 'IF', 'TF', 'FT') AND is_ms_shipped = 0)`,
  tableTypes: 'SELECT user_type_id, schema_id, name FROM sys.types WHERE is_table_type = 1',
} as const;

/** A row of sys.objects. */
export type RoutineRow = readonly [objectId: number, schemaId: number, name: string, type: string];

/**
 * A row of sys.all_parameters. The parameter 0 is what a scalar function returns.
 * https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-parameters-transact-sql
 */
export type ParameterRow = readonly [
  objectId: number,
  name: string,
  id: number,
  typeId: number,
  maxLength: number,
  precision: number,
  scale: number,
  isOutput: boolean,
  isCursor: boolean,
];

/** A row of sys.types. */
export type TableTypeRow = readonly [id: number, schemaId: number, name: string];

/** What is read beside the routines' own rows. */
interface Surroundings {
  readonly schemas: ReadonlyMap<number, string>;
  /** The names of base types by id. */
  readonly types: ReadonlyMap<number, string>;
  /** The columns of table-valued functions by the ids of those. */
  readonly columns: ReadonlyMap<number, readonly RoutineColumn[]>;
}

/** Puts the rows about routines together. */
export function readSqlServerRoutines(
  routines: readonly RoutineRow[],
  parameters: readonly ParameterRow[],
  tableTypes: readonly TableTypeRow[],
  { schemas, types, columns }: Surroundings,
): Routine[] {
  const tables = new Map(
    tableTypes.map(([id, schemaId, name]) => [id, { schema: schemas.get(schemaId) ?? '', name }]),
  );
  const typeOf = (row: ParameterRow): ReturnType<typeof readType> =>
    readType(catalogType(row, types));
  return routines.flatMap(([objectId, schemaId, name, type]): Routine[] => {
    const own = parameters.filter(([id]) => id === objectId).toSorted(([, , a], [, , b]) => a - b);
    // A cursor is not a value.
    if (own.some((row) => row[8])) return [];
    const kind = type.trim().startsWith('P') ? 'procedure' : 'function';
    const result = own.find(([, , id]) => id === 0);
    const taken = own
      .filter(([, , id]) => id > 0)
      .map((row): RoutineParameter => {
        const [, parameter, , typeId] = row;
        const table = tables.get(typeId);
        return {
          name: parameter.replace(/^@/, ''),
          type: table === undefined ? typeOf(row) : { kind: 'opaque', native: 'table' },
          // What goes out may come in as well.
          direction: row[7] && kind === 'procedure' ? 'inout' : 'in',
          ...(table === undefined ? {} : { table }),
        };
      });
    return [
      {
        schema: schemas.get(schemaId) ?? '',
        name,
        kind,
        parameters: taken,
        returns:
          kind === 'procedure'
            ? { kind: 'none' }
            : result === undefined
              ? { kind: 'rows', columns: columns.get(objectId) ?? null }
              : { kind: 'value', type: typeOf(result) },
      },
    ];
  });
}

function catalogType(
  [, , , typeId, bytes, precision, scale]: ParameterRow,
  types: ReadonlyMap<number, string>,
): CatalogType {
  const name = (types.get(typeId) ?? 'sql_variant').toLowerCase();
  return { name, bytes, precision, scale, collation: null };
}
