import type {
  CountQuery,
  JsonProperty,
  OrderTerm,
  Output,
  Query,
  RelatedQuery,
  SelectQuery,
  StampSource,
} from '../../query/ir.ts';
import type { Dialect, DialectSettings, Reader, Statement } from '../dialect.ts';
import { ParameterList } from '../writer.ts';
import {
  arrayLiteral,
  castType,
  condition,
  equalities,
  joins,
  jsonProperty,
  parameter,
  type PrintContext,
} from './conditions.ts';
import { columnName, literal, source } from './identifiers.ts';
import { booleanReader, integerReader, postgresReader } from './readers.ts';

/** What of the server changes the text that is printed for it. */
export interface PostgresFeatures {
  /** The server's major version. */
  readonly version: number;
}

/** The dialect of PostgreSQL 14 and later, and of PGlite. */
export function postgresDialect(settings: DialectSettings, features: PostgresFeatures): Dialect {
  return {
    name: 'postgres',
    print: (query) => {
      const context: PrintContext = {
        parameters: new ParameterList(),
        timeZone: settings.timeZone,
        hasIsJson: features.version >= 16,
      };
      const { text, readers } = print(query, context, settings);
      return { text, readers, parameters: context.parameters.items } satisfies Statement;
    },
    listText: arrayLiteral,
    likeLiteral: (text) => text.replace(/[\\%_]/g, '\\$&'),
  };
}

interface Printed {
  readonly text: string;
  readonly readers: readonly Reader[];
}

function print(query: Query, context: PrintContext, settings: DialectSettings): Printed {
  switch (query.kind) {
    case 'select':
      return select(query, context, settings);
    case 'count':
      return { text: count(query, context), readers: [integerReader] };
    case 'related':
      return related(query, context, settings);
    case 'globalStamp':
      return { text: `SELECT ${GLOBAL_STAMP}`, readers: [integerReader] };
  }
}

function select(query: SelectQuery, context: PrintContext, settings: DialectSettings): Printed {
  const outputs = query.outputs.map((output) => printOutput(output, settings));
  const order = query.orderBy.length === 0 ? '' : ` ORDER BY ${orderBy(query.orderBy, context)}`;
  const text =
    `SELECT ${outputs.map(({ sql }) => sql).join(', ')} FROM ${source(query.from)}${joins(query.joins)}` +
    where(query, context) +
    order +
    window(query, context);
  return { text, readers: outputs.map(({ reader }) => reader) };
}

function window({ window: rows }: SelectQuery, context: PrintContext): string {
  if (rows === null) return '';
  const offset = rows.offset === null ? '' : ` OFFSET ${parameter(rows.offset, context)}`;
  return ` LIMIT ${parameter(rows.limit, context)}${offset}`;
}

function where(query: SelectQuery | CountQuery, context: PrintContext): string {
  return query.where === null ? '' : ` WHERE ${condition(query.where, context)}`;
}

function count(query: CountQuery, context: PrintContext): string {
  return `SELECT COUNT(*) FROM ${source(query.from)}${joins(query.joins)}${where(query, context)}`;
}

/**
 * One pass over the related rows of all parents: ROW_NUMBER cuts each parent's list, COUNT tells its length. The parents'
 * keys arrive as one JSON parameter, so that the text does not change with their number.
 */
function related(query: RelatedQuery, context: PrintContext, settings: DialectSettings): Printed {
  const outputs = query.outputs.map((output) => printOutput(output, settings));
  const keyList = context.parameters.add({
    kind: 'keyList',
    types: query.keyColumns.map(({ type }) => type),
  });
  const parts = query.keyColumns
    .map(({ type }, index) => `, (e->>${index + 1})::${castType(type)} AS k${index}`)
    .join('');
  const keys = `(SELECT (e->>0)::int4 AS o${parts} FROM json_array_elements($${keyList}::json) e) k`;
  const meetsKeys = query.keyColumns
    .map((column, index) => `${columnName(column)} = k.k${index}`)
    .join(' AND ');
  const from = viaSource(query, keys, meetsKeys);
  const inner =
    `SELECT k.o AS o, COUNT(*) OVER (PARTITION BY k.o) AS n,` +
    ` ROW_NUMBER() OVER (PARTITION BY k.o ORDER BY ${orderBy(query.orderBy, context)}) AS r` +
    outputs.map(({ sql }, index) => `, ${sql} AS c${index}`).join('') +
    ` FROM ${from}${joins(query.joins)}`;
  const columns = outputs.map((_, index) => `, x.c${index}`).join('');
  return {
    text: `SELECT x.o, x.n${columns} FROM (${inner}) x WHERE x.r <= ${query.perKey} ORDER BY x.o, x.r`,
    readers: [integerReader, integerReader, ...outputs.map(({ reader }) => reader)],
  };
}

/** The keys joined to the wanted table, directly or over link tables whose repeated links are dropped. */
function viaSource(query: RelatedQuery, keys: string, meetsKeys: string): string {
  const target = source(query.from);
  const [first, ...rest] = query.via;
  const last = query.via.at(-1);
  if (first === undefined || last === undefined) return `${keys} JOIN ${target} ON ${meetsKeys}`;
  const links = rest
    .map(
      ({ table }, index) => ` JOIN ${source(table)} ON ${equalities(query.via[index]?.on ?? [])}`,
    )
    .join('');
  const linked = last.on.map(([left], index) => `, ${columnName(left)} AS j${index}`).join('');
  const reaches = last.on
    .map(([, right], index) => `${columnName(right)} = k.j${index}`)
    .join(' AND ');
  return (
    `(SELECT DISTINCT k.o${linked} FROM ${keys} JOIN ${source(first.table)} ON ${meetsKeys}${links}) k` +
    ` JOIN ${target} ON ${reaches}`
  );
}

/** Nulls first when ascending, as SQL Server has it; said only where there can be nulls, so that indexes serve. */
function orderBy(terms: readonly OrderTerm[], context: PrintContext): string {
  return terms
    .map(({ operand, descending }) => {
      const nulls = operand.kind === 'jsonProperty' || operand.nullable;
      return (
        orderOperand(operand, context) +
        (descending ? ' DESC' : '') +
        (nulls ? (descending ? ' NULLS LAST' : ' NULLS FIRST') : '')
      );
    })
    .join(', ');
}

function orderOperand(operand: OrderTerm['operand'], context: PrintContext): string {
  return operand.kind === 'jsonProperty'
    ? jsonProperty(operand satisfies JsonProperty, context)
    : columnName(operand);
}

/**
 * The id that the next writing transaction of the server will get: it grows with every change. A scalar subquery is
 * evaluated once for the statement.
 * https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT
 */
const GLOBAL_STAMP = '(SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)';

function printOutput(output: Output, settings: DialectSettings): { sql: string; reader: Reader } {
  switch (output.kind) {
    case 'value': {
      const { type } = output.operand;
      const name = columnName(output.operand);
      const reader = postgresReader(type, settings);
      if (type.kind === 'opaque') return { sql: `${name}::text`, reader };
      if (type.kind === 'timestamp' && !type.zoned && settings.timeZone !== 'UTC') {
        return { sql: `(${name} AT TIME ZONE ${literal(settings.timeZone)})`, reader };
      }
      return { sql: name, reader };
    }
    case 'presence':
      return { sql: `(${columnName(output.operand)} IS NOT NULL)`, reader: booleanReader };
    case 'stamp':
      return { sql: stamp(output.source, output.bits), reader: integerReader };
    case 'globalStamp':
      return { sql: GLOBAL_STAMP, reader: integerReader };
  }
}

/** The stamp, cut to its bits; what would be 0 or null, which marks an undefined reference, is the highest one. */
function stamp(from: StampSource, bits: 53 | 31): string {
  const mask = bits === 53 ? '9007199254740991' : '2147483647';
  return `COALESCE(NULLIF(${rawStamp(from)} & ${mask}, 0), ${mask})`;
}

function rawStamp(from: StampSource): string {
  switch (from.kind) {
    case 'column':
    case 'rowversion':
      return `${columnName(from.column)}::bigint`;
    case 'xmin':
      return `${from.alias}.xmin::text::bigint`;
    case 'hash':
      return `('x' || substr(md5(ROW(${from.columns.map(columnName).join(', ')})::text), 1, 13))::bit(52)::bigint`;
  }
}
