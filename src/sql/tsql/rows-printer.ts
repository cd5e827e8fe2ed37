import type { ColumnRef, RowCount, RowMatch, TableSource } from '../ir/ir.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { Statement } from '../ir/statement.ts';
import { isUtc } from '../local-time.ts';
import { identifier, type PrintedOutput, selected } from '../syntax.ts';
import { assignedValue, type RowField, type RowLayout } from '../write-printer.ts';
import { baseType, collate } from './expressions.ts';
import { keyItem, TsqlPrinter } from './printer.ts';
import { integerReader } from './readers.ts';
import { cellItem, storedValue } from './storage.ts';

/** Outputs that stand before the keys of a table variable, and the join that they need. */
export interface ReadWithKeys {
  readonly outputs: readonly PrintedOutput[];
  readonly join: string;
}

/** Prints the rows of the request, and what writing statements do with them. */
export abstract class TsqlRowsPrinter extends TsqlPrinter {
  /** The changed table; its columns go by its own name, because not all engines allow it an alias with OUTPUT. */
  #target: TableSource | null = null;

  protected override sourceName(alias: string): string {
    return this.#target?.alias === alias ? identifier(this.#target.name) : super.sourceName(alias);
  }

  /** Names the changed table by its own name, which the rows then must not have. */
  protected aim(target: TableSource): void {
    this.#target = target;
    if (target.name.toLowerCase() === this.rowsAlias) this.rowsAlias = 'kk';
  }

  /** A statement whose OUTPUT is read after it, as `k`. @param columns those that are read of the changed rows */
  protected reporting(
    rows: 'inserted' | 'deleted',
    columns: readonly ColumnRef[],
    text: (output: string) => string,
    order = '',
    also: ReadWithKeys = { outputs: [], join: '' },
  ): Statement {
    const { declared, output } = this.intoVariable(rows, columns);
    const read = columns.map((column, index) =>
      this.value({ ...column, alias: 'k', name: `k${index}` }),
    );
    const outputs = [...also.outputs, ...read];
    return this.statement(
      `SET NOCOUNT ON; ${declared} ${text(output)};` +
        ` SELECT ${selected(outputs)} FROM @k k${also.join}${order}`,
      outputs.map(({ reader }) => reader),
    );
  }

  /** The declaration of the variable `@k`, and the OUTPUT that puts columns of the changed rows into it. */
  protected intoVariable(
    rows: 'inserted' | 'deleted',
    columns: readonly ColumnRef[],
  ): { readonly declared: string; readonly output: string } {
    const types = columns.map(({ type }, index) => `${keyName(index)} ${variableType(type)}`);
    const names = columns.map(({ name }) => `${rows}.${identifier(name)}`);
    return {
      declared: `DECLARE @k TABLE (${types.join(', ')});`,
      output: ` OUTPUT ${names.join(', ')} INTO @k`,
    };
  }

  /** A statement that an INSTEAD OF trigger stands in for, which not every engine's OUTPUT reports. */
  protected counting(text: string): Statement {
    return this.statement(`SET NOCOUNT ON; ${text}; SELECT 1 WHERE @@ROWCOUNT > 0`, [
      integerReader,
    ]);
  }

  /** The rows as a parameter. @returns its placeholder */
  protected rows({ fields }: RowLayout): string {
    return this.add({ kind: 'rows', types: fields.map(({ type }) => type) });
  }

  /** The rows of a change as a source. @param rows their placeholder */
  protected changes(layout: RowLayout, rows = this.rows(layout)): string {
    return this.rowSource(
      rows,
      layout.fields.map((field) => (field.isCompared ? keyItem(field) : cellItem(field))),
    );
  }

  /** A field of a statement's only row, as a parameter. @returns its placeholder */
  protected onlyField({ at, type }: RowField): string {
    return this.add({ kind: 'rowField', index: at - 1, type });
  }

  /** A field of the rows that a statement joins, or of its only row. */
  protected fieldText(field: RowField, rows: RowCount): string {
    return rows === 'one' ? this.onlyField(field) : `${this.rowsAlias}.${field.name}`;
  }

  protected matches(match: RowMatch, layout: RowLayout, rows: RowCount): string {
    const conditions = match.key.map((column, index) => {
      const field = layout.key[index];
      const isParameter = rows === 'one' && field !== undefined;
      const part = isParameter
        ? this.exactly(this.onlyField(field), column.type)
        : this.keyPart(column, index);
      return `${this.comparedColumn(column)} = ${part}`;
    });
    if (match.stamp !== null && layout.stamp !== null) {
      const stamp = this.stamp(match.stamp.source, match.stamp.bits);
      conditions.push(`${stamp} = ${this.fieldText(layout.stamp, rows)}`);
    }
    for (const [index, column] of (match.held ?? []).entries()) {
      const field = layout.held[index];
      if (field === undefined) throw new Error(`nothing tells what ${column.name} held`);
      const name = this.comparedColumn(column);
      const text = this.fieldText(field, rows);
      const value = this.exactly(text, column.type);
      conditions.push(`(${name} = ${value} OR (${name} IS NULL AND ${text} IS NULL))`);
    }
    if (match.where !== null) conditions.push(this.condition(match.where));
    return conditions.join(' AND ');
  }

  /** The new values of columns. @param target the table whose rows are changed; null for new rows */
  protected values(layout: RowLayout, target: TableSource | null, rows: RowCount): string[] {
    return layout.values.map((placed) =>
      assignedValue(placed, {
        cell: (column, field) =>
          storedValue(
            this.fieldText(field, rows),
            column.type,
            target === null ? null : this.columnName(column),
          ),
        bytes: (index) => this.add({ kind: 'bytes', index }),
        bigint: this.syntax.bigint,
        columnName: (column) => this.columnName(column),
        now: (type) => this.#now(type),
      }),
    );
  }

  /** https://learn.microsoft.com/sql/t-sql/functions/sysutcdatetime-transact-sql */
  #now(type: ColumnType): string {
    if (type.kind === 'timestamp' && type.zoned) return 'SYSDATETIMEOFFSET()';
    const { timeZone } = this.settings;
    const utc = 'SYSUTCDATETIME()';
    const offset = (): string => this.add({ kind: 'offset', timeZone });
    const local = isUtc(timeZone) ? utc : `DATEADD(second, ${offset()}, ${utc})`;
    return type.kind === 'date' ? `CONVERT(date, ${local})` : local;
  }
}

/** A column of the table variable of keys. */
export function keyName(index: number): string {
  return `"k${index}"`;
}

/** The type of a column in a table variable, which cannot be a rowversion; a native name of bytes has no length. */
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
