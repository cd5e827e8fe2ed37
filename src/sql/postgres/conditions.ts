import type { ColumnType } from '../../schema/types.ts';
import type {
  ColumnRef,
  Condition,
  Join,
  JsonProperty,
  Operand,
  Parameter,
} from '../../query/ir.ts';
import type { ParameterList } from '../writer.ts';
import { columnName, identifier, literal, source } from './identifiers.ts';

/** What the printer of one statement shares with its parts. */
export interface PrintContext {
  readonly parameters: ParameterList;
  readonly timeZone: string;
  /** PostgreSQL 16 and later know `IS JSON`, which keeps a broken JSON text from failing the statement. */
  readonly hasIsJson: boolean;
}

/** The type a parameter is cast to: the column's own, without a length that would cut the value silently. */
export function castType(type: ColumnType): string {
  if (type.kind === 'opaque') return 'text';
  return identifier(type.native);
}

/** `$1::"int4"`; an instant that meets a date-time without offset is first turned into the database's local time. */
export function parameter(value: Parameter, context: PrintContext): string {
  const placeholder = `$${context.parameters.add(value)}`;
  if (value.use === 'count') return `${placeholder}::bigint`;
  if (value.use === 'wildcard' || value.use === 'begins' || value.use === 'contains') {
    return `${placeholder}::text`;
  }
  const { type } = value;
  if (type.kind === 'timestamp' && !type.zoned && value.use === 'value') {
    return `(${placeholder}::timestamptz AT TIME ZONE ${literal(context.timeZone)})`;
  }
  return `${placeholder}::${castType(type)}`;
}

/** A column as it is compared: opaque types as their text. */
function comparedColumn(column: ColumnRef): string {
  const name = columnName(column);
  return column.type.kind === 'opaque' ? `${name}::text` : name;
}

/** A JSON column as jsonb; null where its text is no JSON, as far as the server can tell. */
function jsonColumn(column: ColumnRef, context: PrintContext): string {
  const name = columnName(column);
  if (column.type.kind === 'json' && !column.type.asText) return `${name}::jsonb`;
  return context.hasIsJson ? `CASE WHEN ${name} IS JSON THEN ${name}::jsonb END` : `${name}::jsonb`;
}

/** The value at a path inside a JSON column, as jsonb. The path came with the request, so it is a parameter. */
function jsonValue(property: JsonProperty, context: PrintContext): string {
  const path = context.parameters.add({
    kind: 'constant',
    type: { kind: 'opaque', native: 'text[]' },
    value: arrayLiteral(property.path),
  });
  return `(${jsonColumn(property.column, context)} #> $${path}::text[])`;
}

/** A property taken out as text, number or boolean; null where it is of another type. */
export function jsonProperty(property: JsonProperty, context: PrintContext): string {
  const value = jsonValue(property, context);
  switch (property.as) {
    case 'text':
      return `CASE WHEN jsonb_typeof(${value}) NOT IN ('object', 'array') THEN ${value} #>> '{}' END`;
    case 'number':
      return `CASE WHEN jsonb_typeof(${value}) = 'number' THEN (${value} #>> '{}')::numeric END`;
    case 'boolean':
      return `CASE WHEN jsonb_typeof(${value}) = 'boolean' THEN (${value} #>> '{}')::boolean END`;
  }
}

function operand(value: Operand, context: PrintContext): string {
  switch (value.kind) {
    case 'column':
      return comparedColumn(value);
    case 'parameter':
      return parameter(value, context);
    case 'jsonProperty':
      return jsonProperty(value, context);
    case 'true':
      return 'TRUE';
    case 'folded':
      return `lower(${operand(value.operand, context)})`;
  }
}

/** A padded column's cast to text drops the padding, so that a pattern meets the text alone. */
function likeOperand(value: Operand, context: PrintContext): string {
  return value.kind === 'column' && value.type.kind === 'text' && value.type.padded
    ? `${columnName(value)}::text`
    : operand(value, context);
}

function anyOf(left: Operand, list: Parameter, context: PrintContext): string {
  const placeholder = `$${context.parameters.add(list)}`;
  const { type } = list;
  const compared = operand(left, context);
  if (left.kind === 'folded') {
    return `${compared} IN (SELECT lower(v) FROM unnest(${placeholder}::text[]) v)`;
  }
  if (type.kind === 'timestamp' && !type.zoned) {
    const local = `v AT TIME ZONE ${literal(context.timeZone)}`;
    return `${compared} IN (SELECT ${local} FROM unnest(${placeholder}::timestamptz[]) v)`;
  }
  return `${compared} = ANY(${placeholder}::${castType(type)}[])`;
}

/** Prints a condition; compound ones in parentheses, so that the text reads as the tree does. */
export function condition(node: Condition, context: PrintContext): string {
  switch (node.kind) {
    case 'and':
    case 'or': {
      if (node.items.length === 0) return node.kind === 'and' ? 'TRUE' : 'FALSE';
      const joint = node.kind === 'and' ? ' AND ' : ' OR ';
      return `(${node.items.map((item) => condition(item, context)).join(joint)})`;
    }
    case 'not':
      return `NOT (${condition(node.item, context)})`;
    case 'isNotTrue':
      return `(${condition(node.item, context)}) IS NOT TRUE`;
    case 'compare':
      return `${operand(node.left, context)} ${node.operator} ${operand(node.right, context)}`;
    case 'like': {
      const not = node.negated ? 'NOT ' : '';
      return `${likeOperand(node.left, context)} ${not}LIKE ${operand(node.right, context)} ESCAPE '\\'`;
    }
    case 'in':
      return anyOf(node.left, node.right, context);
    case 'isNull': {
      const value =
        node.operand.kind === 'jsonProperty'
          ? `${jsonValue(node.operand, context)} #>> '{}'`
          : operand(node.operand, context);
      return `${value} IS ${node.negated ? 'NOT ' : ''}NULL`;
    }
    case 'exists':
      return (
        `EXISTS (SELECT 1 FROM ${source(node.from)}${joins(node.joins)}` +
        ` WHERE ${condition(node.where, context)})`
      );
  }
}

/** The join clauses, each with a leading blank. */
export function joins(list: readonly Join[]): string {
  return list
    .map(
      ({ type, table, on }) =>
        ` ${type === 'left' ? 'LEFT JOIN' : 'JOIN'} ${source(table)} ON ${equalities(on)}`,
    )
    .join('');
}

/** `a = b AND c = d` */
export function equalities(pairs: Join['on']): string {
  return pairs.map(([left, right]) => `${columnName(left)} = ${columnName(right)}`).join(' AND ');
}

/** Values as a PostgreSQL array literal (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO). */
export function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
