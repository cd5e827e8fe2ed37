import type {
  ColumnRef,
  DeleteRowsQuery,
  DeleteWhereQuery,
  DirectUpdateQuery,
  InsertQuery,
  RowMatch,
  UnencodableQuery,
  UpdateQuery,
  WriteQuery,
} from '../ir/ir.ts';
import type { ColumnType } from '../../schema/types.ts';
import { LOCK_NAME, type Statement } from '../ir/statement.ts';
import { alsoSelected, identifier, type PrintedOutput, qualified, selected } from '../syntax.ts';
import { layOut, type RowField, type RowLayout, setClause } from '../write-printer.ts';
import { baseType, collate } from './expressions.ts';
import { keyItem, literal, ORDINAL } from './printer.ts';
import { integerReader } from './readers.ts';
import { keyName, type ReadWithKeys, TsqlRowsPrinter } from './rows-printer.ts';
import { cellItem } from './storage.ts';

/** Prints SQL Server's writes. With triggers, OUTPUT needs a variable (https://learn.microsoft.com/sql/t-sql/queries/output-clause-transact-sql). */
export class TsqlWritePrinter extends TsqlRowsPrinter {
  protected override readonly effect = 'write';

  printWrite(query: WriteQuery): Statement | null {
    switch (query.kind) {
      case 'insert':
        // The numbers of errors tell what they are about.
        return query.trial === true ? null : this.#insert(query);
      case 'update':
        return this.#update(query);
      case 'deleteRows':
        return this.#deleteRows(query);
      case 'deleteWhere':
        return this.#deleteWhere(query);
      case 'unencodable':
        return this.#unencodable(query);
    }
  }

  /** https://learn.microsoft.com/sql/t-sql/statements/insert-transact-sql */
  #insert(query: InsertQuery): Statement {
    const { into, assignments, returning } = query;
    const columns = assignments.map(({ column }) => identifier(column.name)).join(', ');
    const target = `INSERT INTO ${qualified(into)}${columns === '' ? '' : ` (${columns})`}`;
    const values = this.#insertedValues(query);
    if (returning.length === 0) return this.#inserting(`${target} ${values}`, query);
    if (query.instead) return this.#identityOf(`${target} ${values}`, returning);
    const order = query.rows === 'many' ? this.#identityOrder(query) : '';
    const insert = (output: string): string => `${target}${output} ${values}`;
    return this.reporting('inserted', returning, insert, order, this.#insertedRows(query));
  }

  /** Reads new rows as triggers have left them; one whose key a trigger has changed is not found. */
  #insertedRows({ into, returning, answer }: InsertQuery): ReadWithKeys | undefined {
    if (answer === undefined) return undefined;
    const same = returning.map(
      (column, index) => `${this.columnName(column)} = k.${keyName(index)}`,
    );
    return {
      outputs: this.#answered(answer),
      join: ` JOIN ${this.source(into)} ON ${same.join(' AND ')}`,
    };
  }

  #answered({ outputs }: NonNullable<InsertQuery['answer']>): PrintedOutput[] {
    const fromStatement = { sql: '0', reader: integerReader };
    return [fromStatement, ...outputs.map((output) => this.output(output))];
  }

  /** Inserts rows with keys of their own, and reads them as {@link #insertedRows} does. */
  #inserting(insert: string, { into, assignments, rows, answer }: InsertQuery): Statement {
    if (answer === undefined) return this.statement(insert, []);
    const layout = layOut(null, assignments, STAMP);
    const key = answer.key.map(({ name }, index): RowField => {
      const placed = layout.values.find(({ column }) => column.name === name);
      if (placed?.value.kind !== 'cell') throw new Error(`nothing tells the new rows' ${name}`);
      return { ...placed.value.field, name: `k${index}` };
    });
    const match = { key: answer.key, stamp: null, where: null };
    const matches = this.matches(match, { ...layout, key }, rows);
    const from =
      rows === 'one'
        ? `${this.source(into)} WHERE ${matches}`
        : `${this.rowSource(this.rows(layout), [ORDINAL, ...key.map(keyItem)])} JOIN ${this.source(into)} ON ${matches} ORDER BY ${this.rowsAlias}.o`;
    const outputs = this.#answered(answer);
    return this.statement(
      `SET NOCOUNT ON; ${insert}; SELECT ${selected(outputs)} FROM ${from}`,
      outputs.map(({ reader }) => reader),
    );
  }

  #insertedValues({ assignments, rows }: InsertQuery): string {
    if (assignments.length === 0) return 'DEFAULT VALUES';
    const layout = layOut(null, assignments, STAMP);
    const values = this.values(layout, null, rows).join(', ');
    if (rows === 'one') return `VALUES (${values})`;
    const items = [ORDINAL, ...layout.fields.map(cellItem)];
    const source = this.rowSource(this.rows(layout), items);
    return `SELECT ${values} FROM ${source} ORDER BY ${this.rowsAlias}.o`;
  }

  /**
   * Identities are assigned in the order of an INSERT … SELECT, but OUTPUT has an order of its own: they identify the rows. They count down where the
   * increment is negative (https://learn.microsoft.com/sql/t-sql/statements/insert-transact-sql#best-practices).
   */
  #identityOrder({ into, assignments, returning }: InsertQuery): string {
    const given = new Set(assignments.map(({ column }) => column.name));
    const made = returning.flatMap(({ name, type }, index) =>
      given.has(name) ? [] : [{ type, name: `k.${keyName(index)}` }],
    );
    const [identity] = made;
    if (identity === undefined || made.length > 1 || !isWhole(identity.type)) {
      throw new Error(`only an identity tells the new rows of ${into.name} apart`);
    }
    const increment = `IDENT_INCR(${literal(qualified(into))})`;
    return ` ORDER BY CASE WHEN ${increment} < 0 THEN ${identity.name} END DESC, ${identity.name}`;
  }

  /**
   * OUTPUT does not report what an INSTEAD OF trigger does: only the identity that was assigned last in this session is known, in whatever scope
   * (https://learn.microsoft.com/sql/t-sql/functions/identity-transact-sql). Other keys are null, which says that they are not known.
   */
  #identityOf(insert: string, returning: readonly ColumnRef[]): Statement {
    const isIdentity = returning.length === 1 && returning.every(({ type }) => isWhole(type));
    const keys = returning.map(
      ({ type }, index) =>
        `CONVERT(${type.native}, ${isIdentity ? '@@IDENTITY' : 'NULL'}) AS ${keyName(index)}`,
    );
    const values = returning.map((key, index) =>
      this.value({ ...key, alias: 'k', name: `k${index}` }),
    );
    return this.statement(
      `SET NOCOUNT ON; ${insert}; SELECT ${values.map(({ sql }) => sql).join(', ')} FROM (SELECT ${keys.join(', ')}) k`,
      values.map(({ reader }) => reader),
    );
  }

  /** https://learn.microsoft.com/sql/t-sql/queries/update-transact-sql */
  #update({ table, match, assignments, rows, instead }: UpdateQuery): Statement {
    this.aim(table);
    const layout = layOut(match, assignments, STAMP);
    const values = this.values(layout, table, rows);
    const set = setClause(assignments, values);
    const from = rows === 'one' ? '' : ` FROM ${this.changes(layout)}`;
    const where = ` WHERE ${this.matches(match, layout, rows)}`;
    const update = (output: string): string =>
      `UPDATE ${qualified(table)} SET ${set}${output}${from}${where}`;
    return instead ? this.counting(update('')) : this.reporting('inserted', match.key, update);
  }

  /**
   * Prints a batch with a transaction in it, which can hold an application lock; null for a column whose values cannot be compared. Every error and
   * cancellation has to roll it back, as it would stay open otherwise. The row is read after the change, not by OUTPUT, which allows no subqueries; if
   * a trigger that is newer than the gateway's start has changed the key or restored the stamp, all is rolled back
   * (https://learn.microsoft.com/sql/t-sql/statements/set-xact-abort-transact-sql).
   */
  printDirectUpdate(query: DirectUpdateQuery): Statement | null {
    const { table, match, assignments, outputs, unlocked } = query;
    if (assignments.some(({ column }) => baseType(column.type.native) === 'ntext')) return null;
    if (query.rows === 'many') return this.#directUpdates(query);
    this.aim(table);
    const layout = layOut(match, assignments, STAMP);
    const values = this.values(layout, table, 'one');
    const set = setClause(assignments, values);
    const differing = layout.values.flatMap(({ column, value }, index) =>
      value.kind === 'cell' ? [differs(this.columnName(column), values[index] ?? '')] : [],
    );
    const name = { kind: 'rowField', index: layout.fields.length, type: LOCK_NAME } as const;
    const lock = unlocked
      ? ` EXEC @s = sp_getapplock @Resource = ${this.add(name)}, @LockMode = 'Shared', @LockOwner = 'Transaction', @LockTimeout = 0;`
      : '';
    const target = qualified(table);
    const printed = outputs.map((output) => this.output(output));
    const unstamped = { ...match, stamp: null };
    const key = { ...unstamped, where: null };
    const stamp = this.#directStamp(match, layout);
    const statement = this.statement(
      `SET NOCOUNT ON; SET XACT_ABORT ON; DECLARE @s int = 0, @n int = 0; BEGIN TRANSACTION;${lock}` +
        ` IF @s >= 0 BEGIN UPDATE ${target} SET ${set}` +
        ` WHERE ${this.matches(unstamped, layout, 'one')} AND ${stamp} AND (${differing.join(' OR ')});` +
        ` SET @n = @@ROWCOUNT; END;` +
        ` SELECT 0 AS o${alsoSelected(printed)} FROM ${target}` +
        ` WHERE @n = 1 AND ${this.matches(key, layout, 'one')} AND NOT (${stamp});` +
        ` IF @@ROWCOUNT = 1 COMMIT ELSE ROLLBACK`,
      [integerReader, ...printed.map(({ reader }) => reader)],
    );
    return { commitsItself: 'batch', ...statement };
  }

  /** Changes many rows, and reads those whose keys OUTPUT has put into a variable; a row that a trigger has given another key is not among those of the request. */
  #directUpdates({ table, match, assignments, outputs }: DirectUpdateQuery): Statement {
    this.aim(table);
    const layout = layOut(match, assignments, STAMP);
    const values = this.values(layout, table, 'many');
    const differing = layout.values.flatMap(({ column, value }, index) =>
      value.kind === 'cell' ? [differs(this.columnName(column), values[index] ?? '')] : [],
    );
    const { declared, output } = this.intoVariable('inserted', match.key);
    const keys = match.key.map((column, index) => ({
      ofRow: `${this.columnName(column)} = u.${keyName(index)}`,
      ofChange: `${this.rowsAlias}.k${index} = u.${keyName(index)}`,
    }));
    const rows = this.rows(layout);
    const printed = outputs.map((output) => this.output(output));
    const target = qualified(table);
    return this.statement(
      `SET NOCOUNT ON; ${declared} UPDATE ${target} SET ${setClause(assignments, values)}${output}` +
        ` FROM ${this.changes(layout, rows)}` +
        ` WHERE ${this.matches(match, layout, 'many')} AND (${differing.join(' OR ')});` +
        ` SELECT ${this.rowsAlias}.o${alsoSelected(printed)} FROM @k u` +
        ` JOIN ${this.rowSource(rows, [ORDINAL, ...layout.key.map(keyItem)])} ON ${keys.map(({ ofChange }) => ofChange).join(' AND ')}` +
        ` LEFT JOIN ${target} ON ${keys.map(({ ofRow }) => ofRow).join(' AND ')}`,
      [integerReader, ...printed.map(({ reader }) => reader)],
    );
  }

  /**
   * Compares a row's stamp as it is stored. Rows whose stamp is cut to its bits, or which count from null, 0 or below it, are not met: they are left
   * to an update that reads them first.
   */
  #directStamp({ stamp }: RowMatch, layout: RowLayout): string {
    if (stamp === null || layout.stamp === null) throw new Error('a direct update has a stamp');
    const { source, bits } = stamp;
    const given = this.onlyField(layout.stamp);
    if (source.kind === 'column') return `${this.columnName(source.column)} = ${given}`;
    if (source.kind === 'rowversion' && bits === 53) {
      return `${this.columnName(source.column)} = CONVERT(binary(8), ${given})`;
    }
    // That of a database which is much written to soon has more than 31 bits.
    return `${this.stamp(source, bits)} = ${given}`;
  }

  /** https://learn.microsoft.com/sql/t-sql/statements/delete-transact-sql */
  #deleteRows({ table, match, rows, instead }: DeleteRowsQuery): Statement {
    this.aim(table);
    const layout = layOut(match, [], STAMP);
    const given = rows === 'many' ? this.rows(layout) : null;
    const from = given === null ? '' : ` FROM ${this.changes(layout, given)}`;
    const where = ` WHERE ${this.matches(match, layout, rows)}`;
    const target = `DELETE FROM ${qualified(table)}`;
    if (instead) return this.counting(target + where);
    const { declared, output } = this.intoVariable('deleted', match.key);
    const keys = match.key.map((column, index) => ({ ...column, alias: 'd', name: `k${index}` }));
    const ordinals =
      given === null
        ? '0 AS o FROM @k'
        : `${this.rowsAlias}.o FROM @k d JOIN ${this.rowSource(given, [ORDINAL, ...layout.key.map(keyItem)])} ON ${this.meetsKeys(keys)}`;
    return this.statement(
      `SET NOCOUNT ON; ${declared} ${target}${output}${from}${where}; SELECT ${ordinals}`,
      [integerReader],
    );
  }

  /** A view with an INSTEAD OF DELETE trigger may not be joined: its rows are then identified by their keys. */
  #deleteWhere({ key, returning, instead, ...source }: DeleteWhereQuery): Statement {
    const { from, joins } = source;
    const keys = returning === true ? key : [];
    if (!instead || joins.length === 0) {
      const where = this.where(source);
      const rows = ` FROM ${this.from(source)}${where}`;
      return this.#deleting(keys, (output) => `DELETE ${from.alias}${output}${rows}`);
    }
    if (key.length === 0) throw new Error(`the rows of ${from.name} have no key to be known by`);
    const same = this.sameKeys(key, identifier(from.name)) + this.andWhere(source.where);
    return this.#deleting(
      keys,
      (output) =>
        `DELETE FROM ${qualified(from)}${output}` +
        ` WHERE EXISTS (SELECT 1 FROM ${this.from(source)} WHERE ${same})`,
    );
  }

  /** @param keys the columns of the deleted rows' keys that are the result */
  #deleting(keys: readonly ColumnRef[], print: (output: string) => string): Statement {
    return keys.length === 0
      ? this.statement(print(''), [])
      : this.reporting('deleted', keys, print);
  }

  /**
   * Converts text to each column's code page and back: what comes back changed would be lost. Compared by code points, so that nothing equals its
   * replacement (https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support).
   */
  #unencodable({ columns }: UnencodableQuery): Statement | null {
    const fields = columns.map(({ type }, index) => ({ name: `c${index}`, type, at: index + 1 }));
    const coded = fields.filter(({ type }) => hasCodePage(type));
    if (coded.length === 0) return null;
    const rows = this.add({ kind: 'rows', types: columns.map(({ type }) => type) });
    const checks = coded.map(({ name, type, at }) => {
      const stored = `CONVERT(varchar(max), k.${name}${collate(type)})`;
      const differs = `CONVERT(nvarchar(max), ${stored})${BINARY} <> k.${name}${BINARY}`;
      return `(${at - 1}, CASE WHEN ${differs} THEN 1 ELSE 0 END)`;
    });
    return this.statement(
      `SELECT k.o, v.i FROM ${this.rowSource(rows, [ORDINAL, ...coded.map(cellItem)])}` +
        ` CROSS APPLY (VALUES ${checks.join(', ')}) v(i, lost) WHERE v.lost = 1 ORDER BY k.o, v.i`,
      [integerReader, integerReader],
      'read',
    );
  }
}

const STAMP: ColumnType = { kind: 'integer', bits: 64, signed: true, native: 'bigint' };

/** Compares text by its code points. */
const BINARY = ' COLLATE Latin1_General_BIN2';

/** Whether two values differ, nulls included. */
function differs(one: string, other: string): string {
  return `${one} <> ${other} OR (${one} IS NULL AND ${other} IS NOT NULL) OR (${one} IS NOT NULL AND ${other} IS NULL)`;
}

function isWhole(type: ColumnType): boolean {
  return type.kind === 'integer' || (type.kind === 'decimal' && type.scale === 0);
}

/** Whether text is in a code page other than UTF-8. */
function hasCodePage(type: ColumnType): boolean {
  const isCoded = ['char', 'varchar', 'text'].includes(baseType(type.native));
  return isCoded && collate(type) !== '' && !/_UTF8$/i.test(collate(type));
}
