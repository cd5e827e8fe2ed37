import type {
  ColumnRef,
  DeleteRowsQuery,
  DeleteWhereQuery,
  InsertQuery,
  LossQuery,
  RowMatch,
  TableSource,
  UpdateQuery,
  WriteQuery,
} from '../../query/ir.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { Statement } from '../dialect.ts';
import { assignedValue, layOut, type RowLayout, type RowPart } from '../write-printer.ts';
import { baseType } from './native-type.ts';
import { collate, keyItem, literal, ORDINAL, TsqlPrinter } from './printer.ts';
import { cellItem, storedValue } from './storage.ts';

/** Where the keys of the rows that a statement met are put. */
const KEYS = '@k';

/**
 * Prints what SQL Server is told. What OUTPUT says goes into a table variable first: a table with triggers allows
 * nothing else (https://learn.microsoft.com/sql/t-sql/queries/output-clause-transact-sql).
 */
export class TsqlWritePrinter extends TsqlPrinter {
  /** The table that is changed; its columns are named by its own name, because OUTPUT allows it no alias on every engine. */
  #target: TableSource | null = null;

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
      case 'loss':
        return this.#loss(query);
    }
  }

  protected override columnName(column: ColumnRef): string {
    return this.#target?.alias === column.alias
      ? `${this.identifier(this.#target.name)}.${this.identifier(column.name)}`
      : super.columnName(column);
  }

  /** Names the table that is changed by its own name, which the rows must not bear then. */
  #aim(target: TableSource): void {
    this.#target = target;
    if (target.name.toLowerCase() === this.rowsAlias) this.rowsAlias = 'kk';
  }

  /** https://learn.microsoft.com/sql/t-sql/statements/insert-transact-sql */
  #insert(query: InsertQuery): Statement {
    const { into, assignments, returning } = query;
    const columns = assignments.map(({ column }) => this.identifier(column.name)).join(', ');
    const target = `INSERT INTO ${this.tableName(into)}${columns === '' ? '' : ` (${columns})`}`;
    const values = this.#insertedValues(query);
    if (returning.length === 0) return this.statement(`${target} ${values}`, []);
    if (query.instead) return this.#identityOf(`${target} ${values}`, returning);
    const order = query.rows === 'many' ? this.#identityOrder(query) : '';
    return this.#reporting(
      'inserted',
      returning,
      (output) => `${target}${output} ${values}`,
      order,
    );
  }

  #insertedValues({ assignments, rows }: InsertQuery): string {
    if (assignments.length === 0) return 'DEFAULT VALUES';
    const layout = layOut(null, assignments, STAMP);
    const list = this.#rows(layout);
    const values = this.#values(layout, null, ({ name }) => `${this.rowsAlias}.${name}`);
    const cells = layout.parts.map(cellItem);
    const inOrder = rows === 'many';
    const items = inOrder || cells.length === 0 ? [ORDINAL, ...cells] : cells;
    const order = inOrder ? ` ORDER BY ${this.rowsAlias}.o` : '';
    return `SELECT ${values.join(', ')} FROM ${this.rowSource(list, items)}${order}`;
  }

  /**
   * Identities are given in the order that an INSERT … SELECT asks for, but OUTPUT has an order of its own: the identities
   * themselves tell which row is which. They count down where their increment is negative.
   * https://learn.microsoft.com/sql/t-sql/statements/insert-transact-sql#best-practices
   */
  #identityOrder({ into, assignments, returning }: InsertQuery): string {
    const given = new Set(assignments.map(({ column }) => column.name));
    const made = returning.flatMap(({ name, type }, index) =>
      given.has(name) ? [] : [{ type, name: `k.${keyName(index)}` }],
    );
    const [identity] = made;
    if (identity === undefined || made.length > 1 || !isWhole(identity.type)) {
      throw new Error(`only by an identity can the new rows of ${into.name} be told apart`);
    }
    const increment = `IDENT_INCR(${literal(this.tableName(into))})`;
    return ` ORDER BY CASE WHEN ${increment} < 0 THEN ${identity.name} END DESC, ${identity.name}`;
  }

  /**
   * OUTPUT does not know what a trigger does that stands in for the statement: of the key, only the identity that was
   * given last in this session is known, in whatever scope.
   * https://learn.microsoft.com/sql/t-sql/functions/identity-transact-sql
   */
  #identityOf(insert: string, returning: readonly ColumnRef[]): Statement {
    const [key] = returning;
    if (key === undefined || returning.length > 1 || !isWhole(key.type)) {
      throw new Error('behind a trigger that stands in for INSERT, only an identity can be known');
    }
    const { sql, reader } = this.value({ ...key, alias: 'k', name: 'k0' });
    return this.statement(
      `SET NOCOUNT ON; ${insert};` +
        ` SELECT ${sql} FROM (SELECT CONVERT(${key.type.native}, @@IDENTITY) AS ${keyName(0)}) k`,
      [reader],
    );
  }

  /** https://learn.microsoft.com/sql/t-sql/queries/update-transact-sql */
  #update({ table, match, assignments, instead }: UpdateQuery): Statement {
    this.#aim(table);
    const layout = layOut(match, assignments, STAMP);
    const rows = this.#rows(layout);
    const part = this.#partOf(layout, rows, instead);
    const values = this.#values(layout, table, part);
    const set = assignments.map(
      ({ column }, index) => `${this.identifier(column.name)} = ${values[index] ?? ''}`,
    );
    const from = instead ? '' : ` FROM ${this.#changes(layout, rows)}`;
    const where = ` WHERE ${this.#matches(match, layout, rows, instead)}`;
    return this.#reporting(
      'inserted',
      match.key,
      (output) => `UPDATE ${this.tableName(table)} SET ${set.join(', ')}${output}${from}${where}`,
    );
  }

  /** https://learn.microsoft.com/sql/t-sql/statements/delete-transact-sql */
  #deleteRows({ table, match, instead }: DeleteRowsQuery): Statement {
    this.#aim(table);
    const layout = layOut(match, [], STAMP);
    const rows = this.#rows(layout);
    const from = instead ? '' : ` FROM ${this.#changes(layout, rows)}`;
    const where = ` WHERE ${this.#matches(match, layout, rows, instead)}`;
    return this.#reporting(
      'deleted',
      match.key,
      (output) => `DELETE FROM ${this.tableName(table)}${output}${from}${where}`,
    );
  }

  /** A view whose trigger stands in for DELETE may not be joined: its rows are then known by their key. */
  #deleteWhere({ from, joins, where, key, instead }: DeleteWhereQuery): Statement {
    const condition = where === null ? null : this.condition(where);
    const source = this.source(from) + this.joins(joins);
    if (!instead || joins.length === 0) {
      const met = condition === null ? '' : ` WHERE ${condition}`;
      return this.statement(`DELETE ${from.alias} FROM ${source}${met}`, []);
    }
    if (key.length === 0) throw new Error(`the rows of ${from.name} have no key to be known by`);
    const target = this.identifier(from.name);
    const same = key.map(
      (column) =>
        `${this.comparedColumn(column)} = ${this.comparedColumn({ ...column, alias: target })}`,
    );
    const conditions = [...same, ...(condition === null ? [] : [condition])].join(' AND ');
    return this.statement(
      `DELETE FROM ${this.tableName(from)}` +
        ` WHERE EXISTS (SELECT 1 FROM ${source} WHERE ${conditions})`,
      [],
    );
  }

  /**
   * Text goes into the code page of each column's collation and back: what comes back changed would be lost. Compared
   * by code points, so that nothing equals its replacement.
   * https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support
   */
  #loss({ columns }: LossQuery): Statement | null {
    const parts = columns.map(({ type }, index) => ({ name: `c${index}`, type, at: index + 1 }));
    const lossy = parts.filter(({ type }) => canLose(type));
    if (lossy.length === 0) return null;
    const rows = this.add({ kind: 'rows', types: columns.map(({ type }) => type) });
    const checks = lossy.map(({ name, type, at }) => {
      const stored = `CONVERT(varchar(max), k.${name}${collate(type)})`;
      const differs = `CONVERT(nvarchar(max), ${stored})${BINARY} <> k.${name}${BINARY}`;
      return `(${at - 1}, CASE WHEN ${differs} THEN 1 ELSE 0 END)`;
    });
    return this.statement(
      `SELECT k.o, v.i FROM ${this.rowSource(rows, [ORDINAL, ...lossy.map(cellItem)])}` +
        ` CROSS APPLY (VALUES ${checks.join(', ')}) v(i, lost) WHERE v.lost = 1 ORDER BY k.o, v.i`,
      [this.integerReader, this.integerReader],
    );
  }

  /** A statement whose OUTPUT is read after it: the columns of the rows that it met. */
  #reporting(
    rows: 'inserted' | 'deleted',
    columns: readonly ColumnRef[],
    text: (output: string) => string,
    order = '',
  ): Statement {
    const declared = columns.map(({ type }, index) => `${keyName(index)} ${variableType(type)}`);
    const output = columns.map(({ name }) => `${rows}.${this.identifier(name)}`);
    const read = columns.map((column, index) =>
      this.value({ ...column, alias: 'k', name: `k${index}` }),
    );
    return this.statement(
      `SET NOCOUNT ON; DECLARE ${KEYS} TABLE (${declared.join(', ')});` +
        ` ${text(` OUTPUT ${output.join(', ')} INTO ${KEYS}`)};` +
        ` SELECT ${read.map(({ sql }) => sql).join(', ')} FROM ${KEYS} k${order}`,
      read.map(({ reader }) => reader),
    );
  }

  /** The rows as a parameter. @returns its placeholder */
  #rows({ parts }: RowLayout): string {
    return this.add({ kind: 'rows', types: parts.map(({ type }) => type) });
  }

  /** The rows of a change as a source. */
  #changes(layout: RowLayout, rows: string): string {
    return this.rowSource(
      rows,
      layout.parts.map((part) => this.#item(layout, part)),
    );
  }

  #item({ key, stamp }: RowLayout, part: RowPart): string {
    return part === stamp || key.includes(part) ? keyItem(part) : cellItem(part);
  }

  /** A part, or what is made of it: from the joined rows, or, where a trigger allows no join, from the one row there is. */
  #partOf(layout: RowLayout, rows: string, instead: boolean) {
    return (part: RowPart, sql = `${this.rowsAlias}.${part.name}`): string =>
      instead ? `(SELECT ${sql} FROM ${this.rowSource(rows, [this.#item(layout, part)])})` : sql;
  }

  #matches(match: RowMatch, layout: RowLayout, rows: string, instead: boolean): string {
    const part = this.#partOf(layout, rows, instead);
    const conditions = layout.key.flatMap((key, index) => {
      const column = match.key[index];
      if (column === undefined) return [];
      return `${this.comparedColumn(column)} = ${part(key, this.keyPart(column, index))}`;
    });
    if (match.stamp !== null && layout.stamp !== null) {
      const stamp = this.stamp(match.stamp.source, match.stamp.bits);
      conditions.push(`${stamp} = ${part(layout.stamp)}`);
    }
    return conditions.join(' AND ');
  }

  /** What each column is given. @param target the table whose rows are changed; null for new rows */
  #values(
    layout: RowLayout,
    target: TableSource | null,
    cell: (part: RowPart) => string,
  ): string[] {
    return layout.placed.map((placed) =>
      assignedValue(placed, {
        cell: (column, part) =>
          storedValue(
            cell(part),
            column.type,
            (instant) => this.local(instant),
            target === null ? null : this.columnName(column),
          ),
        content: (index) => this.add({ kind: 'content', index }),
        bigint: (digits) => this.bigint(digits),
        columnName: (column) => this.columnName(column),
        now: (type) => this.#now(type),
      }),
    );
  }

  /** https://learn.microsoft.com/sql/t-sql/functions/sysutcdatetime-transact-sql */
  #now(type: ColumnType): string {
    if (type.kind === 'timestamp' && type.zoned) return 'SYSDATETIMEOFFSET()';
    const utc = 'SYSUTCDATETIME()';
    const local = this.local(`${utc} AT TIME ZONE 'UTC'`);
    if (type.kind === 'date') return `CONVERT(date, ${local})`;
    return `CONVERT(datetime2(7), ${local})`;
  }
}

const STAMP: ColumnType = { kind: 'integer', bits: 64, signed: true, native: 'bigint' };

/** Compares text by its code points. */
const BINARY = ' COLLATE Latin1_General_BIN2';

function keyName(index: number): string {
  return `"k${index}"`;
}

function isWhole(type: ColumnType): boolean {
  return type.kind === 'integer' || (type.kind === 'decimal' && type.scale === 0);
}

/** Text in a code page, but for that of UTF-8. */
function canLose(type: ColumnType): boolean {
  const isCoded = ['char', 'varchar', 'text'].includes(baseType(type.native));
  return isCoded && collate(type) !== '' && !/_UTF8$/i.test(collate(type));
}

/**
 * The type of a column in a table variable. A variable's column cannot be a rowversion that is given, and a native name of
 * bytes says no length.
 */
function variableType(type: ColumnType): string {
  switch (baseType(type.native)) {
    case 'timestamp':
    case 'rowversion':
      return 'binary(8)';
    case 'binary':
    case 'varbinary':
      return 'varbinary(8000)';
    default:
      return type.native + collate(type);
  }
}
