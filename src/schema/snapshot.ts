import { StartupError } from '../base/errors.ts';
import {
  byName,
  compareText,
  qualifiedName,
  schemaShape,
  type PhysicalSchema,
  type Routine,
  type Table,
} from './types.ts';

/** A schema as it was read once: with it, statements can be printed and files compared without the database. */
export interface SchemaSnapshot {
  /** Null in a snapshot that does not say. */
  readonly dialect: 'postgres' | 'tsql' | null;
  /** The engine's own version string. */
  readonly version: string | null;
  readonly schema: PhysicalSchema;
  /** The rules that have made the names in mapping files; of a snapshot that `init` wrote. */
  readonly namedBy?: readonly unknown[];
}

/** A copy of a schema in an order that does not depend on the server, so that equal schemas are written as the same text. */
export function inStableOrder(schema: PhysicalSchema): PhysicalSchema {
  const tables = schema.tables.map((table): Table => ({
    ...table,
    columns: table.columns.toSorted((a, b) => a.position - b.position),
    indexes: table.indexes.toSorted(byName),
    foreignKeys: table.foreignKeys.toSorted(byName),
    ...(table.checks === undefined ? {} : { checks: table.checks.toSorted(byName) }),
  }));
  return {
    ...schema,
    tables: tables.toSorted((a, b) => compareText(a.schema, b.schema) || byName(a, b)),
    ...(schema.routines === undefined ? {} : { routines: schema.routines.toSorted(byRoutine) }),
  };
}

/** A snapshot as JSON text with a line for each column, index, foreign key and check, so that differences read well. */
export function snapshotText({ dialect, version, schema, namedBy }: SchemaSnapshot): string {
  return `${layOut({ dialect, version, namedBy, ...inStableOrder(schema) }, '')}\n`;
}

/** Reads what {@link snapshotText} wrote. @param where the file, for messages @throws StartupError when the text is not a snapshot of a schema */
export function readSnapshotText(text: string, where: string): SchemaSnapshot {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw StartupError.at(where, 'is not JSON: expected what "entitygate schema" prints');
  }
  const { dialect, version, namedBy, ...schema } = (value ?? {}) as Record<string, unknown>;
  const path = misshapenPath(schema);
  if (path !== null) {
    const see = path === '' ? '' : ` (see ${path})`;
    const message = `is not a snapshot of a schema${see}: expected what "entitygate schema" prints`;
    throw StartupError.at(where, message);
  }
  return {
    dialect: dialect === 'postgres' || dialect === 'tsql' ? dialect : null,
    version: typeof version === 'string' ? version : null,
    schema: schema as unknown as PhysicalSchema,
    ...(Array.isArray(namedBy) ? { namedBy } : {}),
  };
}

/** The path of what makes a value no schema; empty for the whole value, null for a schema. Entries of lists are counted from 1. */
function misshapenPath(schema: unknown): string | null {
  try {
    const { error } = schemaShape.safeParse(schema);
    if (error === undefined) return null;
    const path = error.issues[0]?.path ?? [];
    return path
      .map((step) => (typeof step === 'number' ? `entry ${step + 1}` : `"${String(step)}"`))
      .join(', ');
  } catch (error) {
    // Types may be nested more deeply than the stack.
    if (error instanceof RangeError) return '';
    throw error;
  }
}

/** Orders routines; overloaded ones by their parameters. */
function byRoutine(a: Routine, b: Routine): number {
  const taken = ({ parameters }: Routine): string =>
    parameters.map(({ type, direction }) => `${direction} ${type.native}`).join();
  return compareText(a.schema, b.schema) || byName(a, b) || compareText(taken(a), taken(b));
}

/** Whether two schemas are the same, whatever the order in which they were found. */
export function sameSchema(a: PhysicalSchema, b: PhysicalSchema): boolean {
  return layOut(inStableOrder(a), '') === layOut(inStableOrder(b), '');
}

/** The tables of a schema by their qualified names. */
export function tablesByName(schema: PhysicalSchema): ReadonlyMap<string, Table> {
  return new Map(schema.tables.map((table) => [qualifiedName(table), table]));
}

/** Lists of objects, and objects that hold such lists, take a line for each item; all else takes one line. */
function layOut(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  if (isListOfObjects(value)) {
    const items = value.map((item) => `${inner}${layOut(item, inner)}`);
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const entries = Object.entries(value).filter(([, part]) => part !== undefined);
    if (entries.some(([, part]) => isListOfObjects(part))) {
      const lines = entries.map(([key, part]) => `${inner}"${key}": ${layOut(part, inner)}`);
      return `{\n${lines.join(',\n')}\n${indent}}`;
    }
  }
  return JSON.stringify(value);
}

function isListOfObjects(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some((item) => typeof item === 'object');
}
