import type {
  ColumnRef,
  DeleteRowsQuery,
  DeleteWhereQuery,
  DirectUpdateQuery,
  InsertQuery,
  RowMatch,
  TableSource,
  UpdateQuery,
  WriteQuery,
} from '../ir/ir.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { Statement } from '../dialect.ts';
import { alsoSelected, selected } from '../printer.ts';
import { identifier, qualified } from '../syntax.ts';
import {
  assignedValue,
  layOut,
  type RowField,
  type RowLayout,
  setClause,
} from '../write-printer.ts';
import { itemsOf } from './arrays.ts';
import { isMoney, literal } from './literals.ts';
import { LOCK_NUMBER } from './locks.ts';
import { PostgresPrinter, rowSource } from './printer.ts';
import { integerReader } from './readers.ts';

/** The alias of the table that rows are deleted from, where a condition has aliases of its own. */
const DELETED = 'd';

/** The alias of the table whose rows are locked before they are changed. */
const HELD = 'w';

/**
 * The alias of the table that new rows come into, joined to nothing: its columns are null there, each of its type. They
 * make a row that takes in a value of one column, where a null alone would be refused if the domain of another
 * column takes no null (https://www.postgresql.org/docs/current/sql-createdomain.html).
 */
const NO_ROW = 'x';

/**
 * Prints what PostgreSQL is told. Triggers that stand in for a statement on a view need nothing of their own: RETURNING
 * gives back what the trigger returned (https://www.postgresql.org/docs/current/sql-createtrigger.html).
 */
export class PostgresWritePrinter extends PostgresPrinter {
  protected override readonly effect = 'write';

  /** @returns null for a query of what cannot be encoded: text of a database in UTF-8 loses nothing */
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
  #insert({ into, assignments, returning, rows }: InsertQuery): Statement {
    const target = `INSERT INTO ${qualified(into)} AS ${into.alias}`;
    if (assignments.length === 0) return this.#returning(`${target} DEFAULT VALUES`, returning);
    const layout = layOut(null, assignments, STAMP);
    const table = qualified(into);
    const needsRow = assignments.some(({ column }) => isReadByRecord(column.type));
    const source =
      this.#source(layout) + (needsRow ? ` LEFT JOIN ${table} ${NO_ROW} ON FALSE` : '');
    const columns = assignments.map(({ column }) => identifier(column.name));
    const values = this.#values(layout, `ROW(${NO_ROW}.*)::${table}`);
    const order = rows === 'many' ? ' ORDER BY k.o' : '';
    return this.#returning(
      `${target} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${source}${order}`,
      returning,
    );
  }

  /** https://www.postgresql.org/docs/current/sql-update.html */
  #update({ table, match, assignments }: UpdateQuery): Statement {
    const layout = layOut(match, assignments, STAMP);
    const source = this.#source(layout);
    const values = this.#values(layout, table.alias);
    const set = setClause(assignments, values);
    return this.#returning(
      `UPDATE ${qualified(table)} AS ${table.alias} SET ${set} FROM ${source}` +
        ` WHERE ${this.#matches(match)}`,
      match.key,
    );
  }

  /**
   * A trigger that is there by now has the row left alone: what it makes of the row has to be looked at before the commit. So has, of several requests, whatever could hold one of them up.
   *
   * The lock of the row is looked at last, as what costs most is (https://www.postgresql.org/docs/current/sql-createfunction.html, `COST`); like that of {@link postgresLocks} it is kept until
   * the end of the transaction.
   * @param together {@link DirectUpdateQuery.uncontended}, where the rows of several requests are changed; null for one
   * @returns null for a column whose values cannot be compared
   */
  printDirectUpdate(
    { table, match, assignments, outputs, unlocked }: DirectUpdateQuery,
    together: readonly number[] | null,
  ): Statement | null {
    // It is compared with no number (https://www.postgresql.org/docs/current/datatype-money.html).
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
    const fields = layout.fields.map((field) => {
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
    const against = [updateTriggers(name), ...(isOne ? [] : contentions(name, together))];
    const conditions = [
      this.#matches(match),
      `(${differing.join(' OR ')})`,
      ...against.map((found) => `NOT EXISTS (${found})`),
    ];
    if (unlocked) {
      fields.push(`, ${given(layout.fields.length, LOCK_NUMBER)}::bigint AS l`);
      conditions.push('pg_try_advisory_xact_lock_shared(k.l)');
    }
    const source = isOne
      ? `(SELECT 0 AS o${fields.join('')}) k`
      : `(SELECT u.o${fields.join('')} FROM unnest(${lists.join(', ')}) WITH ORDINALITY` +
        ` AS u(${lists.map((_, index) => `f${index + 1}, `).join('')}o)) k` +
        ` CROSS JOIN LATERAL (${this.#free(table, match)}) h`;
    const printed = outputs.map((output) => this.output(output));
    const statement = this.statement(
      `UPDATE ${qualified(table)} AS ${table.alias} SET ${set}` +
        ` FROM ${source} WHERE ${conditions.join(' AND ')}` +
        ` RETURNING k.o${alsoSelected(printed)}${isOne ? '' : ', k.o'}`,
      [integerReader, ...printed.map(({ reader }) => reader), ...(isOne ? [] : [integerReader])],
    );
    return { commitsItself: 'statement', ...statement };
  }

  /**
   * Finds the row of a key, and locks it, where nobody else has: who waits for one row would hold up the others.
   * https://www.postgresql.org/docs/current/sql-select.html#SQL-FOR-UPDATE-SHARE
   */
  #free(table: TableSource, { key }: RowMatch): string {
    const conditions = key.map((column, index) => {
      const compared = this.comparedColumn({ ...column, alias: HELD });
      return `${compared} = ${this.keyPart(column, index)}`;
    });
    return (
      `SELECT 1 FROM ${qualified(table)} AS ${HELD} WHERE ${conditions.join(' AND ')}` +
      `${this.syntax.lockClause('update', HELD)} SKIP LOCKED`
    );
  }

  /** https://www.postgresql.org/docs/current/sql-delete.html */
  #deleteRows({ table, match }: DeleteRowsQuery): Statement {
    const source = this.#source(layOut(match, [], STAMP));
    return this.#returning(
      `DELETE FROM ${qualified(table)} AS ${table.alias} USING ${source}` +
        ` WHERE ${this.#matches(match)}`,
      match.key,
    );
  }

  /** A row of a table without a key is known by its place: in which table of a partitioned one, and where there. */
  #deleteWhere({ from, joins, where, key, returning }: DeleteWhereQuery): Statement {
    const condition = where === null ? null : this.condition(where);
    if (joins.length === 0) {
      const all = `DELETE FROM ${qualified(from)} AS ${from.alias}`;
      return this.#returning(
        condition === null ? all : `${all} WHERE ${condition}`,
        returning === true ? key : [],
      );
    }
    const same =
      key.length === 0
        ? ['tableoid', 'ctid'].map((name) => `${from.alias}.${name} = ${DELETED}.${name}`)
        : key.map(
            (column) =>
              `${this.comparedColumn(column)} = ${this.comparedColumn({ ...column, alias: DELETED })}`,
          );
    const conditions = [...same, ...(condition === null ? [] : [condition])].join(' AND ');
    return this.#returning(
      `DELETE FROM ${qualified(from)} AS ${DELETED} WHERE EXISTS (SELECT 1` +
        ` FROM ${this.source(from)}${this.joins(joins)} WHERE ${conditions})`,
      returning === true ? key.map((column) => ({ ...column, alias: DELETED })) : [],
    );
  }

  #returning(text: string, columns: readonly ColumnRef[]): Statement {
    if (columns.length === 0) return this.statement(text, []);
    const outputs = columns.map((column) => this.value(column));
    const readers = outputs.map(({ reader }) => reader);
    return this.statement(`${text} RETURNING ${selected(outputs)}`, readers);
  }

  #source(layout: RowLayout): string {
    const rows = this.add({ kind: 'rows', types: layout.fields.map(({ type }) => type) });
    const items = layout.fields.map(
      (field) => `, ${this.#field(`(e->>${field.at})`, field)} AS ${field.name}`,
    );
    return rowSource(rows, items.join(''));
  }

  /** A field's text as it is compared with its row, or assigned to its column. */
  #field(text: string, { type, isCompared }: RowField): string {
    return isCompared ? this.typed(text, type) : this.#stored(text, type);
  }

  #matches({ key, stamp, held = [], where }: RowMatch): string {
    const conditions = key.map(
      (column, index) => `${this.comparedColumn(column)} = ${this.keyPart(column, index)}`,
    );
    if (stamp !== null) conditions.push(`${this.stamp(stamp.source, stamp.bits)} = k.s`);
    for (const [index, column] of held.entries()) {
      conditions.push(`${this.comparedColumn(column)} IS NOT DISTINCT FROM k.h${index}`);
    }
    if (where !== null) conditions.push(this.condition(where));
    return conditions.join(' AND ');
  }

  /**
   * What each column is given.
   * @param record a row of the table's type, which values of opaque types are read into
   */
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
   * A cell as a value of its column. What is known of an opaque type is its column: the type is taken from the table's row
   * type, so that its schema, its length and its domain are the column's own. Text in a JSON record goes through
   * the input function of the column's type (https://www.postgresql.org/docs/current/functions-json.html).
   */
  #cell({ name, type }: ColumnRef, field: RowField, record: string): string {
    const cell = `k.${field.name}`;
    if (!isReadByRecord(type)) return itemsOf(type) === null ? cell : `${cell}::numeric[]`;
    const json = `json_build_object(${literal(name)}, ${cell})`;
    return `(json_populate_record(${record}, ${json})).${identifier(name)}`;
  }

  /**
   * Text as the type that a column's value is assigned from. Text stays text: its assignment refuses what is too
   * long, where a cast would cut it (https://www.postgresql.org/docs/current/datatype-character.html).
   */
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

/** The triggers of a table that hear of updates, and are none of a constraint's (https://www.postgresql.org/docs/current/catalog-pg-trigger.html). */
function updateTriggers(table: string): string {
  return `SELECT 1 FROM pg_catalog.pg_trigger g WHERE g.tgrelid = ${table} AND NOT g.tgisinternal AND g.tgtype & 16 <> 0`;
}

/** What looks at columns by now, or may, and has changes of theirs wait for others: as {@link DirectUpdateQuery.uncontended} has it. */
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

/** Types whose values the engine reads into a record of the table: of opaque ones, and arrays, the gateway knows no more than that. */
function isReadByRecord(type: ColumnType): boolean {
  const items = itemsOf(type);
  return type.kind === 'opaque' || (items !== null && items.native !== 'money');
}
