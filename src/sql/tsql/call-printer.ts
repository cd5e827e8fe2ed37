import type { CallArgument, CallQuery, CallValue, Statement } from '../ir/statement.ts';
import type { ColumnRef } from '../ir/ir.ts';
import type { ColumnType } from '../../schema/types.ts';
import { baseType, listItemType } from './expressions.ts';
import { alsoSelected, identifier, qualified, selected } from '../syntax.ts';
import { integerReader, resultReader } from './readers.ts';
import { TsqlPrinter } from './printer.ts';
import { storedValue } from './storage.ts';

/** The alias of a function's rows. */
const ROWS = 't0';

/** The alias of columns that are variables. */
const VARIABLE = '@';

/** Prints calls for SQL Server. Procedures run in a batch, with variables of the parameters' exact types; outputs are lossless, as columns are. */
export class TsqlCallPrinter extends TsqlPrinter {
  protected override readonly effect = 'write';
  readonly #declared: string[] = [];

  printCall(query: CallQuery): Statement {
    return query.kind === 'function' ? this.#select(query) : this.#execute(query);
  }

  protected override columnName(column: ColumnRef): string {
    return column.alias === VARIABLE ? `${VARIABLE}${column.name}` : super.columnName(column);
  }

  /** A function needs all of its parameters: DEFAULT for those without a value. */
  #select({ columns, isScalar, most, ...query }: CallQuery): Statement {
    const values = query.arguments.map(({ value, type }) => this.#value(value, type) ?? 'DEFAULT');
    const called = `${qualified(query)}(${values.join(', ')})`;
    const declared = this.#declared.length === 0 ? '' : `${this.#declared.join('; ')}; `;
    if (columns === null) {
      return this.statement(`${declared}SELECT TOP (${most}) * FROM ${called} ${ROWS}`, []);
    }
    const outputs = columns.map((column) =>
      this.value({ kind: 'column', alias: ROWS, nullable: true, ...column }),
    );
    const [only] = columns;
    const source =
      isScalar && only !== undefined
        ? `(SELECT ${called} AS ${identifier(only.name)}) ${ROWS}`
        : `${called} ${ROWS}`;
    return this.statement(
      `${declared}SELECT TOP (${most}) ${selected(outputs)} FROM ${source}`,
      columns.map(({ type }) => resultReader(type, this.settings)),
    );
  }

  /** https://learn.microsoft.com/sql/t-sql/language-elements/execute-transact-sql */
  #execute(query: CallQuery): Statement {
    const written = query.arguments.flatMap((one, index) => this.#argument(one, index) ?? []);
    const outputs = query.arguments.flatMap(({ direction, type }, index): ColumnRef[] =>
      direction === 'in'
        ? []
        : [{ kind: 'column', alias: VARIABLE, name: `o${index}`, type, nullable: true }],
    );
    const read = outputs.map((column) => this.value(column));
    const declared = ['DECLARE @r int', ...this.#declared].join('; ');
    const passed = written.length === 0 ? '' : ` ${written.join(', ')}`;
    return this.statement(
      `${declared}; EXEC @r = ${qualified(query)}${passed};` + ` SELECT @r${alsoSelected(read)}`,
      [integerReader, ...outputs.map(({ type }) => resultReader(type, this.settings))],
    );
  }

  /** EXEC takes variables and constants, not expressions. @returns null for the procedure's own default */
  #argument({ name, type, direction, value }: CallArgument, index: number): string | null {
    const parameter = parameterName(name);
    if (direction !== 'in') {
      const given = this.#value(value, type);
      const first = given === null ? '' : ` = ${given}`;
      this.#declared.push(`DECLARE @o${index} ${declaredType(type)}${first}`);
      return `${parameter} = @o${index} OUTPUT`;
    }
    const text = this.#value(value, type);
    if (text === null) return null;
    if (/^@\w+$/.test(text)) return `${parameter} = ${text}`;
    this.#declared.push(`DECLARE @a${index} ${declaredType(type)} = ${text}`);
    return `${parameter} = @a${index}`;
  }

  #value(value: CallValue, type: ColumnType): string | null {
    switch (value.kind) {
      case 'default':
        return null;
      case 'bytes':
        return this.add({ kind: 'bytes', index: value.index });
      case 'field':
        return storedValue(
          this.add({ kind: 'rowField', index: value.index, type: value.type }),
          value.type.kind === 'json' ? value.type : type,
          null,
        );
      case 'table':
        return this.#table(value);
    }
  }

  /** https://learn.microsoft.com/sql/relational-databases/tables/use-table-valued-parameters-database-engine */
  #table({ index, table, parts }: Extract<CallValue, { kind: 'table' }>): string {
    const rows = this.add({ kind: 'rowField', index, type: ROWS_TEXT });
    const items = parts.map((type, part) => `k${part} ${listItemType(type)} '$[${part}]'`);
    const values = parts.map((type, part) => storedValue(`k.k${part}`, type, null));
    const variable = `@k${index}`;
    this.#declared.push(
      `DECLARE ${variable} ${qualified(table)}`,
      `INSERT INTO ${variable} SELECT ${values.join(', ')} FROM OPENJSON(${rows}) WITH (${items.join(', ')}) k`,
    );
    return variable;
  }
}

const ROWS_TEXT: ColumnType = { kind: 'json', asText: true, native: 'nvarchar(max)' };

/** A parameter's name cannot be quoted (https://learn.microsoft.com/sql/relational-databases/databases/database-identifiers). */
function parameterName(name: string): string {
  if (/^[\p{L}\p{N}_@#$]+$/u.test(name)) return `@${name}`;
  throw new Error(`@${name} is not a name of a parameter`);
}

/** The type of a variable for a parameter; some types are for columns only. */
function declaredType({ native }: ColumnType): string {
  switch (baseType(native)) {
    case 'text':
    case 'ntext':
      return 'nvarchar(max)';
    case 'image':
    case 'binary':
    case 'varbinary':
      return 'varbinary(max)';
    case 'timestamp':
    case 'rowversion':
      return 'binary(8)';
    default:
      return native;
  }
}
