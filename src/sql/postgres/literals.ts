/** An identifier of PostgreSQL, quoted (https://www.postgresql.org/docs/current/sql-syntax-lexical.html). */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A constant of the gateway's own as a string literal; what a client sends never comes here. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Values as an array literal, to be bound (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO). */
export function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
