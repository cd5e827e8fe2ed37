import type { ColumnRef } from '../ir/ir.ts';
import type { Statement } from '../dialect.ts';
import { TsqlPrinter } from './printer.ts';

/**
 * Prints what reads by a list of keys for a list of one, as a row of parameters: of OPENJSON the server assumes some fifty rows, and it has the text to read.
 * https://learn.microsoft.com/sql/t-sql/queries/table-value-constructor-transact-sql
 */
export class OneKeyPrinter extends TsqlPrinter {
  protected override keyList(columns: readonly ColumnRef[]): string {
    const parts = columns.map(({ type }, index) => this.add({ kind: 'rowField', index, type }));
    const names = columns.map((_, index) => `k${index}`);
    return `(VALUES (${['0', ...parts].join(', ')})) ${this.rowsAlias}(${['o', ...names].join(', ')})`;
  }
}

/** A statement with the one for a single key, where it reads by a list of keys. Both have one name: they are told by what they are for. */
export function withOneKey(statement: Statement, print: () => Statement): Statement {
  if (!statement.parameters.some(({ kind }) => kind === 'keyList')) return statement;
  let printed: Statement | undefined;
  return { ofOneKey: () => (printed ??= { ...print(), name: statement.name }), ...statement };
}
