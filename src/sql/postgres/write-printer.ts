import type {
  ColumnRef,
  DeleteRowsQuery,
  DeleteWhereQuery,
  DirectUpdateQuery,
  InsertQuery,
  RowCount,
  RowMatch,
  TableSource,
  UpdateQuery,
  WriteQuery,
} from '../ir/ir.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { Statement } from '../ir/statement.ts';
import { alsoSelected, identifier, qualified, rowsOf, selected } from '../syntax.ts';
import {
  assignedValue,
  layOut,
  type RowField,
  type RowLayout,
  setClause,
} from '../write-printer.ts';
import { integerReader, itemsOf } from './readers.ts';
import { isMoney, literal } from './literals.ts';
import { LOCK_NUMBER } from './locks.ts';
import { PostgresPrinter, rowSource } from './printer.ts';

/** The alias of the table that rows are deleted from, where a condition has aliases of its own. */
const DELETED = 'd';

/** The alias of the table whose rows are locked before they are changed. */
const LOCKED = 'w';

/**
 * The alias of the table inserted into, joined to nothing: a row of typed nulls that can take in one column's value. A plain null would be refused
 * if another column's domain is NOT NULL (https://www.postgresql.org/docs/current/sql-createdomain.html).
 */
const NO_ROW = 'x';

/** Prints PostgreSQL's writes; RETURNING serves INSTEAD OF triggers, too (https://www.postgresql.org/docs/current/sql-createtrigger.html). */
export class PostgresWritePrinter extends PostgresPrinter {
  protected override readonly effect = 'write';

  /** @returns null for an UnencodableQuery: text of a database in UTF-8 loses nothing */
  printWrite(query: WriteQuery): Statement | null {
    switch (query.kind) {
      case 'insert':
        return this.#insert(query);
      case 'update':
        return this.#update(query);
      case 'deleteRows':
        return this.#deleteRows(query);
      case 'deleteWhere':
        return this.#deleteWhere(query);
      case 'unencodable':
        return null;
    }
  }

  /** https://www.postgresql.org/docs/current/sql-insert.html */
  #insert(query: InsertQuery): Statement {
    const { into, assignments, rows, trial = false } = query;
    const table = qualified(into);
    const target = `INSERT INTO ${table} AS ${into.alias}`;
    if (assignments.length === 0 && !trial)
      return this.#inserting(`${target} DEFAULT VALUES`, query);
    const layout = layOut(null, assignments, STAMP);
    const needsRow = trial || assignments.some(({ column }) => isReadByRecord(column.type));
    const source =
      this.#source(layout, rows) + (needsRow ? ` LEFT JOIN ${table} ${NO_ROW} ON FALSE` : '');
    const columns = assignments.map(({ column }) => identifier(column.name));
    const values = this.#values(layout, `ROW(${NO_ROW}.*)::${table}`);
    if (trial) return this.statement(`SELECT ${['1', ...values].join(', ')} FROM ${source}`, []);
    const order = rows === 'many' ? ' ORDER BY k.o' : '';
    return this.#inserting(
      `${target} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${source}${order}`,
      query,
    );
  }

  /** RETURNING tells rows as they were inserted: not what a trigger makes of them afterwards, which may be newer than the gateway's start. */
  #inserting(text: string, { into, returning, answer }: InsertQuery): Statement {
    if (answer === undefined) return this.#returning(text, returning);
    const name = `${literal(qualified(into))}::regclass`;
    const outputs = [
      { sql: `EXISTS (${triggersOn(name, ON_INSERT)})::int`, reader: integerReader },
      ...answer.outputs.map((output) => this.output(output)),
      ...returning.map((column) => this.value(column)),
    ];
    const readers = outputs.map(({ reader }) => reader);
    return this.statement(`${text} RETURNING ${selected(outputs)}`, readers);
  }

  /** https://www.postgresql.org/docs/current/sql-update.html */
  #update({ table, match, assignments, rows }: UpdateQuery): Statement {
    const layout = layOut(match, assignments, STAMP);
    const source = this.#source(layout, rows);
    const values = this.#values(layout, table.alias);
    const set = setClause(assignments, values);
    return this.#returning(
      `UPDATE ${rowsOf(table)} AS ${table.alias} SET ${set} FROM ${source}` +
        ` WHERE ${this.#matches(match)}`,
      match.key,
    );
  }

  /**
   * Prints a change of rows, or of one row for each of several requests; null for a column whose values cannot be compared. A row is left alone
   * if its table has a trigger by now, whose result has to be checked before the commit; for several requests, also if one could wait for more
   * than its row.
   *
   * The row's lock, held until the end of the transaction, is checked last, as all that is expensive
   * (https://www.postgresql.org/docs/current/sql-createfunction.html, `COST`).
   * @param together {@link DirectUpdateQuery.uncontended} for several requests; null for one
   */
  printDirectUpdate(
    { table, match, assignments, rows, outputs, unlocked }: DirectUpdateQuery,
    together: readonly number[] | null,
  ): Statement | null {
    // Money cannot be compared with a number (https://www.postgresql.org/docs/current/datatype-money.html).
    if (assignments.some(({ column }) => isMoney(column.type))) return null;
    const isOne = together === null;
    const layout = layOut(match, assignments, STAMP);
    const name = `${literal(qualified(table))}::regclass`;
    const lists: string[] = [];
    const given = (index: number, type: ColumnType): string => {
      const parameter = this.add({ kind: 'rowField', index, type });
      if (isOne) return `${parameter}::text`;
      lists.push(`${parameter}::text[]`);
      return `u.f${lists.length}`;
    };
    const fields =
      rows === 'many'
        ? []
        : layout.fields.map((field) => {
            const value = given(field.at - 1, field.type);
            return `, ${this.#field(value, field)} AS ${field.name}`;
          });
    const values = this.#values(layout, table.alias);
    const set = setClause(assignments, values);
    const differing = layout.values.flatMap(({ column, value }) =>
      value.kind === 'cell'
        ? [`${this.columnName(column)} IS DISTINCT FROM k.${value.field.name}`]
        : [],
    );
    const against = [triggersOn(name, ON_UPDATE), ...(isOne ? [] : contentions(name, together))];
    const conditions = [
      this.#matches(match),
      `(${differing.join(' OR ')})`,
      ...against.map((found) => `NOT EXISTS (${found})`),
    ];
    if (unlocked) {
      fields.push(`, ${given(layout.fields.length, LOCK_NUMBER)}::bigint AS l`);
      conditions.push('pg_try_advisory_xact_lock_shared(k.l)');
    }
    const unlockedRow = ` CROSS JOIN LATERAL (${this.#unlockedRow(table, match)}) h`;
    const source =
      rows === 'many'
        ? this.#source(layout, rows) + unlockedRow
        : isOne
          ? `(SELECT 0 AS o${fields.join('')}) k`
          : `(SELECT u.o${fields.join('')} FROM unnest(${lists.join(', ')}) WITH ORDINALITY` +
            ` AS u(${lists.map((_, index) => `f${index + 1}, `).join('')}o)) k` +
            unlockedRow;
    const printed = outputs.map((output) => this.output(output));
    const statement = this.statement(
      `UPDATE ${rowsOf(table)} AS ${table.alias} SET ${set}` +
        ` FROM ${source} WHERE ${conditions.join(' AND ')}` +
        ` RETURNING k.o${alsoSelected(printed)}${isOne ? '' : ', k.o'}`,
      [integerReader, ...printed.map(({ reader }) => reader), ...(isOne ? [] : [integerReader])],
    );
    return rows === 'many' ? statement : { commitsItself: 'statement', ...statement };
  }

  /** Finds and locks the row of a key, but does not wait for it (https://www.postgresql.org/docs/current/sql-select.html#SQL-FOR-UPDATE-SHARE). */
  #unlockedRow(table: TableSource, { key }: RowMatch): string {
    const meetsKey = this.meetsKeys(key.map((column) => ({ ...column, alias: LOCKED })));
    return (
      `SELECT 1 FROM ${rowsOf(table)} AS ${LOCKED} WHERE ${meetsKey}` +
      `${this.syntax.lockClause('update', LOCKED)} SKIP LOCKED`
    );
  }

  /** https://www.postgresql.org/docs/current/sql-delete.html */
  #deleteRows({ table, match, rows }: DeleteRowsQuery): Statement {
    const source = this.#source(layOut(match, [], STAMP), rows);
    return this.statement(
      `DELETE FROM ${rowsOf(table)} AS ${table.alias} USING ${source}` +
        ` WHERE ${this.#matches(match)} RETURNING k.o`,
      [integerReader],
    );
  }

  /** Rows of a table without a key are identified by their physical position, in the partition that holds them. */
  #deleteWhere({ key, returning, ...source }: DeleteWhereQuery): Statement {
    const { from, joins, where } = source;
    const keys = returning === true ? key : [];
    if (joins.length === 0) {
      const target = `${rowsOf(from)} AS ${from.alias}`;
      return this.#returning(`DELETE FROM ${target}${this.where(source)}`, keys);
    }
    const condition = this.andWhere(where);
    const position = ['tableoid', 'ctid'].map(
      (name) => `${from.alias}.${name} = ${DELETED}.${name}`,
    );
    const same = key.length === 0 ? position.join(' AND ') : this.sameKeys(key, DELETED);
    return this.#returning(
      `DELETE FROM ${rowsOf(from)} AS ${DELETED} WHERE EXISTS (SELECT 1` +
        ` FROM ${this.from(source)} WHERE ${same}${condition})`,
      keys.map((column) => ({ ...column, alias: DELETED })),
    );
  }

  #returning(text: string, columns: readonly ColumnRef[]): Statement {
    if (columns.length === 0) return this.statement(text, []);
    const outputs = columns.map((column) => this.value(column));
    const readers = outputs.map(({ reader }) => reader);
    return this.statement(`${text} RETURNING ${selected(outputs)}`, readers);
  }

  /** The text of many rows is bounded; that of one row may be as long as a body. */
  #source(layout: RowLayout, count: RowCount): string {
    const rows = this.add({ kind: 'rows', types: layout.fields.map(({ type }) => type) });
    const items = layout.fields.map(
      (field) => `, ${this.#field(`(e->>${field.at})`, field)} AS ${field.name}`,
    );
    return rowSource(rows, items.join(''), count === 'one' ? 'json' : 'jsonb');
  }

  /** A field's text as it is compared with its row, or assigned to its column. */
  #field(text: string, { type, isCompared }: RowField): string {
    return isCompared ? this.typed(text, type) : this.#stored(text, type);
  }

  #matches({ key, stamp, held = [], where }: RowMatch): string {
    const conditions = [this.meetsKeys(key)];
    if (stamp !== null) conditions.push(`${this.stamp(stamp.source, stamp.bits)} = k.s`);
    for (const [index, column] of held.entries()) {
      conditions.push(`${this.comparedColumn(column)} IS NOT DISTINCT FROM k.h${index}`);
    }
    if (where !== null) conditions.push(this.condition(where));
    return conditions.join(' AND ');
  }

  /** The new values of columns. @param record a row of the table's type, which values of opaque types are read into */
  #values(layout: RowLayout, record: string): string[] {
    return layout.values.map((placed) =>
      assignedValue(placed, {
        cell: (column, field) => this.#cell(column, field, record),
        bytes: (index) => `${this.add({ kind: 'bytes', index })}::bytea`,
        bigint: this.syntax.bigint,
        columnName: (column) => this.columnName(column),
        now: (type) => this.#now(type),
      }),
    );
  }

  /**
   * A cell as a value of its column. An opaque type is taken from the table's row type, which has its schema, length and domain; text in a JSON
   * record goes through the type's input function (https://www.postgresql.org/docs/current/functions-json.html).
   */
  #cell({ name, type }: ColumnRef, field: RowField, record: string): string {
    const cell = `k.${field.name}`;
    if (!isReadByRecord(type)) return itemsOf(type) === null ? cell : `${cell}::numeric[]`;
    const json = `json_build_object(${literal(name)}, ${cell})`;
    return `(json_populate_record(${record}, ${json})).${identifier(name)}`;
  }

  /** Text as it is assigned: text stays text, because a cast would cut it (https://www.postgresql.org/docs/current/datatype-character.html). */
  #stored(text: string, type: ColumnType): string {
    const { kind } = type;
    if (kind === 'binary' || kind === 'hex') return `decode(${text}, 'hex')`;
    const isText = kind === 'text' || kind === 'opaque';
    const isJsonText = kind === 'json' && (type.asText || itemsOf(type) !== null);
    return isText || isJsonText ? text : this.typed(text, type);
  }

  #now(type: ColumnType): string {
    const local = `(now() AT TIME ZONE ${this.zone()})`;
    if (type.kind === 'date') return `${local}::date`;
    return type.kind === 'timestamp' && type.zoned ? 'now()' : local;
  }
}

/** The bits of tgtype: https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_trigger.h */
const ON_INSERT = 4;
const ON_UPDATE = 16;

/** The triggers of a table on a kind of change, except those of constraints (https://www.postgresql.org/docs/current/catalog-pg-trigger.html). */
function triggersOn(table: string, change: number): string {
  return `SELECT 1 FROM pg_catalog.pg_trigger g WHERE g.tgrelid = ${table} AND NOT g.tgisinternal AND g.tgtype & ${change} <> 0`;
}

/** The indexes and foreign keys because of which changes of columns may wait by now, against {@link DirectUpdateQuery.uncontended}. */
function contentions(table: string, columns: readonly number[]): string[] {
  const looks = (at: string): string => `${at} && '{${columns.join(',')}}'::int2[]`;
  const keys = '(i.indkey::int2[])[0 : i.indnkeyatts - 1]';
  return [
    `SELECT 1 FROM pg_catalog.pg_index i WHERE i.indrelid = ${table} AND (i.indisexclusion OR i.indisunique` +
      ` AND (NOT i.indimmediate OR i.indexprs IS NOT NULL OR i.indpred IS NOT NULL OR ${looks(keys)}))`,
    `SELECT 1 FROM pg_catalog.pg_constraint o WHERE o.conrelid = ${table} AND o.contype = 'f' AND ${looks('o.conkey')}`,
  ];
}

const STAMP: ColumnType = { kind: 'integer', bits: 64, signed: true, native: 'int8' };

/** Whether the engine reads a type's values into a record of the table, because the gateway does not know the type. */
function isReadByRecord(type: ColumnType): boolean {
  const items = itemsOf(type);
  return type.kind === 'opaque' || (items !== null && items.native !== 'money');
}
