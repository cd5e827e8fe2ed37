import type { ArrayItems } from '../json-text.ts';
import type { ComparisonOperator } from '../ir/ir.ts';
import type { ColumnType } from '../../schema/types.ts';

/** Whether a column, by its name, holds what is not a number; null where its type has none of those. */
export function isNotNumber(name: string, type: ColumnType): string | null {
  const others = notNumbers(type);
  return others.length === 0 ? null : `${name} IN (${others.join(', ')})`;
}

/**
 * What keeps a comparison of a column with a number true of numbers alone, besides that number itself. An index serves bounds, and
 * does not serve a list of what is left out.
 * @param operator `<>` where the number itself bounds neither side
 */
export function numberBounds(
  name: string,
  type: ColumnType,
  operator: ComparisonOperator,
): readonly string[] {
  if (operator === '=') return [];
  const [most, , least] = notNumbers(type);
  const isAbove = most !== undefined && (operator === '<>' || operator.startsWith('>'));
  const isBelow = least !== undefined && operator.startsWith('<');
  return [...(isAbove ? [`${name} < ${most}`] : []), ...(isBelow ? [`${name} > ${least}`] : [])];
}

/**
 * What a column of numbers may hold that is not a number, the least of those behind all numbers first: NaN is greater than
 * Infinity, and numerics with a precision have no infinities
 * (https://www.postgresql.org/docs/current/datatype-numeric.html).
 */
function notNumbers(type: ColumnType): readonly string[] {
  const values = type.kind === 'float' ? INFINITE : type.kind === 'decimal' ? FINITE : [];
  const all = type.kind === 'decimal' && type.precision === null ? INFINITE : values;
  return isMoney(type) ? [] : all.map((value) => `'${value}'::${identifier(type.native)}`);
}

const INFINITE = ['Infinity', 'NaN', '-Infinity'];
const FINITE = ['NaN'];

/** Written as text, money depends on the server's locale. */
export function isMoney(type: ColumnType): boolean {
  return type.kind === 'decimal' && type.native === 'money';
}

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
