import type { CallArgument, CallQuery, CallValue } from '../ir/call.ts';
import type { ColumnRef } from '../ir/ir.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { DialectSettings, Reader, Statement } from '../dialect.ts';
import { isoTimestamp } from '../json-text.ts';
import { instantText, isUtc } from '../local-time.ts';
import { PostgresPrinter } from './printer.ts';
import { postgresReader } from './readers.ts';

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

  #select({ schema, name, arguments: given, columns, most }: CallQuery): Statement {
    const called = `${this.#name(schema, name)}(${this.#arguments(given)})`;
    if (columns === null || columns.length === 0) {
      return this.statement(`SELECT 1 FROM ${called} ${ROWS}`, [this.integerReader]);
    }
    const refs = columns.map((column): ColumnRef => {
      return { kind: 'column', alias: ROWS, nullable: true, ...column };
    });
    const outputs = refs.map((column) => this.value(column));
    const names = columns.map((column) => this.identifier(column.name));
    const selected = outputs.map(({ sql }) => sql).join(', ');
    return this.statement(
      `SELECT ${selected} FROM ${called} ${ROWS}(${names.join(', ')}) LIMIT ${most}`,
      refs.map(({ type }, index) => binaryReader(type) ?? outputs[index]?.reader ?? textOnly),
    );
  }

  /** https://www.postgresql.org/docs/current/sql-call.html */
  #call({ schema, name, arguments: given }: CallQuery): Statement {
    const outputs = given.filter(({ direction }) => direction !== 'in');
    return this.statement(
      `CALL ${this.#name(schema, name)}(${this.#arguments(given)})`,
      outputs.map(({ type }) => outputReader(type, this.settings)),
    );
  }

  #name(schema: string, name: string): string {
    return `${this.identifier(schema)}.${this.identifier(name)}`;
  }

  #arguments(given: readonly CallArgument[]): string {
    const isByPlace = given.some(({ nameless }) => nameless);
    return given
      .filter(({ value, direction }) => value.kind !== 'default' || direction !== 'in')
      .map(({ name, type, value }) => {
        const text = this.#value(value, type);
        return isByPlace ? text : `${this.identifier(name)} => ${text}`;
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
        // Of an opaque type, an enum, say, the routine itself tells what the text is.
        return type.kind === 'opaque' ? field : this.typed(field, value.type);
      }
      case 'table':
        throw new Error('table types are SQL Server’s');
    }
  }
}

const textOnly: Reader = { text: String, json: (value) => JSON.stringify(String(value)) };

/** Bytes as base64, which is how bodies have them; null for other types. */
function binaryReader(type: ColumnType): Reader | null {
  if (type.kind !== 'binary') return null;
  const base64 = (value: unknown): string =>
    Buffer.from(String(value).replace(/^\\x/, ''), 'hex').toString('base64');
  return { text: base64, json: (value) => JSON.stringify(base64(value)) };
}

/** What a parameter that goes out holds: local time comes as it is. */
function outputReader(type: ColumnType, settings: DialectSettings): Reader {
  const { timeZone } = settings;
  if (type.kind === 'timestamp' && !type.zoned && !isUtc(timeZone)) {
    const instant = (value: unknown): string =>
      isoTimestamp(instantText(String(value).replace(' ', 'T'), type, timeZone));
    return { text: instant, json: (value) => JSON.stringify(instant(value)) };
  }
  return resultReader(type, settings);
}

/** How a value of a type is read that the driver gave. */
export function resultReader(type: ColumnType, settings: DialectSettings): Reader {
  return binaryReader(type) ?? postgresReader(type, settings);
}
