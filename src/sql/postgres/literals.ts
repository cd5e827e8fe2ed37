import type { ArrayItems } from '../readers.ts';
import type { ComparisonOperator } from '../ir/ir.ts';
import {
  hasOwnOrder,
  HOUR_TEXT,
  isPadded,
  isReadByType,
  MADE_TEXT,
} from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import { identifier, qualified } from '../syntax.ts';

/** Whether a column holds NaN or an infinity; null where its type has neither. */
export function isNotNumber(name: string, type: ColumnType): string | null {
  const others = notNumbers(type);
  return others.length === 0 ? null : `${name} IN (${others.join(', ')})`;
}

/** Bounds that exclude NaN and infinities from a comparison with a number: an index serves bounds, but not a list of exclusions. */
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
 * The values of a type that are not numbers, the least one above all numbers first: NaN is greater than Infinity; numerics with a precision
 * have no infinities (https://www.postgresql.org/docs/current/datatype-numeric.html).
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

/** A string literal, for constants of the gateway only, never for a client's value. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The characters that are escaped within the quotes of an array's item. */
const ESCAPED = /["\\]/;

/** Values as an array literal (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO). @param type that of the items */
export function arrayLiteral(values: ArrayItems, type?: ColumnType): string {
  const delimiter = type?.kind === 'opaque' ? (type.delimiter ?? ',') : ',';
  const items = values.map((value) => {
    if (value === null) return 'NULL';
    if (typeof value !== 'string') return arrayLiteral(value, type);
    return ESCAPED.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`;
  });
  return `{${items.join(delimiter)}}`;
}

/**
 * Whether the engine would take a member's name for an array index: `-1` for the last item, `01` for the second
 * (https://www.postgresql.org/docs/current/functions-json.html#FUNCTIONS-JSON-PROCESSING).
 */
export function isNotIndex(name: string): boolean {
  return /^\s*[+-]?\d+$/.test(name) && !/^(?:0|[1-9]\d*)$/.test(name);
}

/** Text with its byte order mark doubled, because the driver drops one. To some collations the mark equals nothing at all. */
export function twiceMarked(name: string, type: ColumnType): string {
  const marked = `(chr(${MARK}) || ${name})::${isPadded(type) ? 'bpchar' : 'text'}`;
  return `CASE WHEN ascii(${name}::text) = ${MARK} THEN ${marked} ELSE ${name} END`;
}

/** U+FEFF */
const MARK = 65_279;

/** Whether a type holds date-times without offset: local times of the database. */
export function isLocal(type: ColumnType): boolean {
  return type.kind === 'timestamp' && !type.zoned;
}

/** The type a parameter is cast to: the column's own, without a length that would cut the value silently, and to text from one without an order. */
export function castType(type: ColumnType, array: '' | '[]' = ''): string {
  if (isMoney(type)) return `numeric${array}`;
  if (isReadByType(type)) {
    const name = qualified({ schema: type.typeSchema, name: type.native });
    return `${name}${array}${hasOwnOrder(type) ? '' : `::text${array}`}`;
  }
  const isText = type.kind === 'opaque' || type.native === 'name' || MADE_TEXTS.has(type.native);
  return `${isText ? 'text' : identifier(type.native)}${array}`;
}

/** The texts that statements compute, in the words of the other engine. */
const MADE_TEXTS: ReadonlySet<string> = new Set([MADE_TEXT.native, HOUR_TEXT.native]);

/**
 * The text of a value of an opaque type, as patterns are compared with it. A cast would write the mask of an address that is answered without one
 * (https://www.postgresql.org/docs/current/functions-net.html).
 */
export function opaqueText(name: string, type: ColumnType): string {
  return type.native === 'inet' ? `abbrev(${name})` : `${name}::text`;
}

/** The digits of bytes as PostgreSQL writes them: `\\x0aff`. */
export function hexDigits(wire: unknown): string {
  return String(wire).replace(/^\\x/, '');
}
