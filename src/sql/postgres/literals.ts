import type { ArrayItems } from '../array-text.ts';

/** An identifier of PostgreSQL, quoted (https://www.postgresql.org/docs/current/sql-syntax-lexical.html). */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A constant of the gateway's own as a string literal; what a client sends never comes here. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** What is escaped within the quotes of an array's item. */
const ESCAPED = /["\\]/;

/**
 * Values as an array literal, to be bound (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO).
 * @param delimiter a comma for all types but `box`
 */
export function arrayLiteral(values: ArrayItems, delimiter = ','): string {
  const items = values.map((value) => {
    if (value === null) return 'NULL';
    if (typeof value !== 'string') return arrayLiteral(value, delimiter);
    return ESCAPED.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`;
  });
  return `{${items.join(delimiter)}}`;
}
