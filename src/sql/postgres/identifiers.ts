import type { ColumnRef, TableSource } from '../../query/ir.ts';

/** An identifier of PostgreSQL, quoted (https://www.postgresql.org/docs/current/sql-syntax-lexical.html). */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A constant of the gateway's own as a string literal; what a client sends never comes here. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** `"schema"."table" alias` */
export function source(table: TableSource): string {
  return `${identifier(table.schema)}.${identifier(table.name)} ${table.alias}`;
}

/** `alias."column"` */
export function columnName(column: ColumnRef): string {
  return `${column.alias}.${identifier(column.name)}`;
}
