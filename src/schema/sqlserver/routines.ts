import { type CatalogRows, grouped, sorted } from './rows.ts';
import { catalogType, type TypeNames } from './types.ts';
import type { Routine, RoutineParameter, RoutineResult } from '../types.ts';

type RoutineRows = Pick<
  CatalogRows,
  'schemas' | 'routines' | 'routineParameters' | 'tableTypes' | 'columns'
>;

/** Reads the routines that can be called. */
export function readSqlServerRoutines(rows: RoutineRows, types: TypeNames): Routine[] {
  const schemas = new Map(rows.schemas);
  const schemaOf = (id: number): string => schemas.get(id) ?? '';
  const tables = new Map(
    rows.tableTypes.map(([id, schema, name]) => [id, { schema: schemaOf(schema), name }]),
  );
  const parametersOf = grouped(sorted(rows.routineParameters, 2), ([routineId]) => routineId);
  const columnsOf = grouped(sorted(rows.columns, 1), ([ownerId]) => ownerId);

  return rows.routines.flatMap(([id, schemaId, name, type]): Routine[] => {
    const kind = type.trim().startsWith('P') ? 'procedure' : 'function';
    const parameters: RoutineParameter[] = [];
    const columns = columnsOf.get(id)?.map((row) => ({
      name: row[2],
      type: catalogType(types, row[3], row[4], row[5], row[6], row[7]),
    }));
    let returns: RoutineResult =
      kind === 'procedure' ? { kind: 'none' } : { kind: 'rows', columns: columns ?? null };
    for (const row of parametersOf.get(id) ?? []) {
      const [, parameter, at, typeId, bytes, precision, scale, isOutput, isCursor] = row;
      // A cursor is not a value.
      if (isCursor) return [];
      const own = catalogType(types, typeId, bytes, precision, scale, null);
      if (at === 0 && kind === 'function') returns = { kind: 'value', type: own };
      if (at === 0) continue;
      const table = tables.get(typeId);
      parameters.push({
        name: parameter.replace(/^@/, ''),
        type: table === undefined ? own : { kind: 'opaque', native: 'table' },
        // A parameter that goes out may come in as well.
        direction: isOutput && kind === 'procedure' ? 'inout' : 'in',
        ...(table === undefined ? {} : { table }),
      });
    }
    return [{ schema: schemaOf(schemaId), name, kind, parameters, returns }];
  });
}
