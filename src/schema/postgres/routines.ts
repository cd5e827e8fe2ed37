import { baseOf, type CatalogType, catalogType, typeMembers } from './types.ts';
import type { Routine, RoutineParameter, RoutineResult } from '../types.ts';

/** The type with an id; of a domain the type that it is over. */
function typeOf(id: string): string {
  return `(SELECT json_build_object(${typeMembers('b', 'y')})
    FROM pg_type y JOIN pg_type b ON b.oid = ${baseOf('y')} WHERE y.oid = ${id})`;
}

/** Selects the routines that the user may call, but no system's or extension's (https://www.postgresql.org/docs/current/catalog-pg-proc.html). */
export const postgresRoutineQuery = `
SELECT coalesce(json_agg(r ORDER BY r.schema, r.name), '[]') FROM (
  SELECT n.nspname AS schema, p.proname AS name, p.prokind AS kind, p.proretset AS many,
    p.pronargs AS inputs, p.pronargdefaults AS defaults, ${typeOf('p.prorettype')} AS returned,
    (SELECT coalesce(json_agg(json_build_object('name', p.proargnames[a.ord::int],
        'mode', coalesce(p.proargmodes[a.ord::int]::text, 'i'), 'type', ${typeOf('a.id')}) ORDER BY a.ord), '[]')
     FROM unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) WITH ORDINALITY a(id, ord)) AS arguments,
    (SELECT json_agg(json_build_object('name', c.attname, 'type', ${typeOf('c.atttypid')},
        'modifier', c.atttypmod) ORDER BY c.attnum)
     FROM pg_attribute c JOIN pg_type t ON t.typrelid = c.attrelid
     WHERE t.oid = p.prorettype AND t.typrelid <> 0 AND c.attnum > 0 AND NOT c.attisdropped) AS columns
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE p.prokind IN ('f', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\\\_%'
    AND has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE')
    AND NOT EXISTS (SELECT 1 FROM pg_depend d
      WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
) r`;

interface FoundRoutine {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'f' | 'p';
  readonly many: boolean;
  readonly inputs: number;
  /** How many of the last inputs have a default. */
  readonly defaults: number;
  readonly returned: CatalogType;
  readonly arguments: readonly {
    readonly name: string | null;
    /** Of `proargmodes`: in, out, inout (b), variadic, or a column of the table that is returned. */
    readonly mode: 'i' | 'o' | 'b' | 'v' | 't';
    readonly type: CatalogType;
  }[];
  /** Of a table's or a composite type; null for other types. */
  readonly columns:
    | readonly { readonly name: string; readonly type: CatalogType; readonly modifier: number }[]
    | null;
}

/** Reads what {@link postgresRoutineQuery} answered: one value of JSON text. */
export function readPostgresRoutines(json: string): Routine[] {
  return (JSON.parse(json) as readonly FoundRoutine[]).filter(isCallable).map(readRoutine);
}

/** Whether clients can call a routine: no handlers, triggers, functions of any type or undeclared rows, nor variadic ones, whose array is unnamed. */
function isCallable({ kind, returned, arguments: taken }: FoundRoutine): boolean {
  const isOpen = returned.type === 'record' && !taken.some(({ mode }) => 'obt'.includes(mode));
  return (
    !isPseudo(returned, ['void', 'record']) &&
    (kind === 'p' || !isOpen) &&
    taken.every(({ type, mode }) => !isPseudo(type, []) && mode !== 'v')
  );
}

function isPseudo({ type, typtype }: CatalogType, allowed: readonly string[]): boolean {
  return typtype === 'p' && !allowed.includes(type);
}

function readRoutine(found: FoundRoutine): Routine {
  const { schema, name } = found;
  const kind = found.kind === 'p' ? 'procedure' : 'function';
  return { schema, name, kind, parameters: readParameters(found), returns: readResult(found) };
}

function readParameters({
  kind,
  arguments: taken,
  inputs,
  defaults,
}: FoundRoutine): RoutineParameter[] {
  let given = 0;
  return taken.flatMap(({ name, mode, type }, index): RoutineParameter[] => {
    const isInput = mode === 'i' || mode === 'b';
    if (isInput) given += 1;
    // What goes out of a function are columns of its row.
    if (!isInput && kind === 'f') return [];
    return [
      {
        name: name === null || name === '' ? `$${index + 1}` : name,
        type: catalogType(type),
        direction: mode === 'i' ? 'in' : mode === 'b' ? 'inout' : 'out',
        optional: !isInput || given > inputs - defaults,
        ...(name === null || name === '' ? { nameless: true as const } : {}),
      },
    ];
  });
}

function readResult(found: FoundRoutine): RoutineResult {
  const { kind, many, returned, columns, arguments: taken } = found;
  if (kind === 'p') return { kind: 'none' };
  const outputs = taken.filter(({ mode }) => mode === 'o' || mode === 'b' || mode === 't');
  const rows = many ? 'rows' : 'row';
  if (returned.type === 'record' && returned.typtype === 'p') {
    return {
      kind: rows,
      columns: outputs.map(({ name, type }, index) => ({
        name: name === null || name === '' ? `column${index + 1}` : name,
        type: catalogType(type),
      })),
    };
  }
  if (columns !== null) {
    return {
      kind: rows,
      columns: columns.map(({ name, type, modifier }) => ({
        name,
        type: catalogType(type, modifier),
      })),
    };
  }
  if (returned.type === 'void') return { kind: 'none' };
  const type = catalogType(returned);
  if (!many) return { kind: 'value', type };
  return { kind: 'rows', columns: [{ name: outputs[0]?.name ?? found.name, type }] };
}
