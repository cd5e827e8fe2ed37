import type { CallArgument, CallQuery, CallValue, Reader, Statement } from '../ir/statement.ts';
import type { ColumnType } from '../../schema/types.ts';
import { isUtc } from '../local-time.ts';
import { identifier, qualified, selected } from '../syntax.ts';
import { isLocal } from './literals.ts';
import { integerReader, localTimeReader, resultReader } from './readers.ts';
import { PostgresPrinter } from './printer.ts';

/** The alias of a function's rows. */
const ROWS = 't0';

/**
 * Prints calls for PostgreSQL: a function is selected from, a procedure called. Arguments go by name, so that those with a default can be
 * left out (https://www.postgresql.org/docs/current/sql-syntax-calling-funcs.html).
 */
export class PostgresCallPrinter extends PostgresPrinter {
  protected override readonly effect = 'write';

  printCall(query: CallQuery): Statement {
    return query.kind === 'function' ? this.#select(query) : this.#call(query);
  }

  #select({ columns, most, ...query }: CallQuery): Statement {
    const called = `${qualified(query)}(${this.#arguments(query.arguments)})`;
    if (columns === null || columns.length === 0) {
      return this.statement(`SELECT 1 FROM ${called} ${ROWS}`, [integerReader]);
    }
    const outputs = columns.map((column) =>
      this.value({ kind: 'column', alias: ROWS, nullable: true, ...column }),
    );
    const names = columns.map(({ name }) => identifier(name)).join(', ');
    return this.statement(
      `SELECT ${selected(outputs)} FROM ${called} ${ROWS}(${names}) LIMIT ${most}`,
      columns.map(({ type }) => resultReader(type, this.settings)),
    );
  }

  /** https://www.postgresql.org/docs/current/sql-call.html */
  #call(query: CallQuery): Statement {
    const outputs = query.arguments.filter(({ direction }) => direction !== 'in');
    return this.statement(
      `CALL ${qualified(query)}(${this.#arguments(query.arguments)})`,
      outputs.map(({ type }) => this.#outputReader(type)),
    );
  }

  /** Reads a parameter that goes out: local time comes as it is stored. */
  #outputReader(type: ColumnType): Reader {
    const { timeZone } = this.settings;
    return isLocal(type) && !isUtc(timeZone)
      ? localTimeReader(type, timeZone)
      : resultReader(type, this.settings);
  }

  #arguments(given: readonly CallArgument[]): string {
    const isByPosition = given.some(({ nameless }) => nameless);
    return given
      .filter(({ value, direction }) => value.kind !== 'default' || direction !== 'in')
      .map(({ name, type, value }) => {
        const text = this.#value(value, type);
        return isByPosition ? text : `${identifier(name)} => ${text}`;
      })
      .join(', ');
  }

  #value(value: CallValue, type: ColumnType): string {
    switch (value.kind) {
      case 'default':
        return 'NULL';
      case 'bytes':
        return `${this.add({ kind: 'bytes', index: value.index })}::bytea`;
      case 'field': {
        const field = this.add({ kind: 'rowField', index: value.index, type: value.type });
        // The routine's signature decides the type of a text for an opaque one, such as an enum.
        return type.kind === 'opaque' ? field : this.typed(field, value.type);
      }
      case 'table':
        throw new Error('table types are SQL Server’s');
    }
  }
}
