import { MOST_CALLED_ROWS } from '../../base/limits.ts';
import type { ApiFunction, FunctionInput } from '../../model/functions/function-types.ts';
import { columnsOf } from '../../model/functions/function-types.ts';
import type { Dataclass } from '../../model/types.ts';
import type { CallArgument, CallQuery, CallValue } from '../../sql/ir/call.ts';
import type { Printer, Statement } from '../../sql/ir/statement.ts';
import type { ColumnType } from '../../schema/types.ts';

/** The statement of a call, and where its values come from. */
export interface CallStatement {
  readonly query: CallQuery;
  readonly statement: Statement;
  /** What stands in each field of the statement's row, in order. */
  readonly fields: readonly FunctionInput[];
  /** The same of its bytes. */
  readonly bytes: readonly FunctionInput[];
}

/**
 * Prints the statements of a call.
 * @param owner the dataclass whose entities it is called on; null where there is none
 * @returns the statement for a number of parameters that a client gives: the others are left to the routine
 */
export function callStatements(
  called: ApiFunction,
  owner: Dataclass | null,
  printer: Printer,
): (given: number) => CallStatement {
  const printed = (given: number): CallStatement => {
    const planned = planCallQuery(called, given, owner);
    return { statement: printer.printCall(planned.query), ...planned };
  };
  // The longest; nearly all clients of a function give the same number.
  let latest = { given: called.parameters.length, made: printed(called.parameters.length) };
  return (given) => {
    if (latest.given !== given) latest = { given, made: printed(given) };
    return latest.made;
  };
}

function planCallQuery(
  { routine, inputs, returns }: ApiFunction,
  given: number,
  owner: Dataclass | null,
): Omit<CallStatement, 'statement'> {
  const fields: FunctionInput[] = [];
  const bytes: FunctionInput[] = [];
  const valueOf = (input: FunctionInput): CallValue => {
    const { from, type, parameter } = input;
    if (from.kind === 'client' && from.index >= given) return { kind: 'default' };
    if (type.kind === 'binary') {
      bytes.push(input);
      return { kind: 'bytes', index: bytes.length - 1 };
    }
    fields.push(input);
    const index = fields.length - 1;
    if (from.kind === 'keys' && from.form === 'table' && parameter.table !== undefined) {
      return { kind: 'table', index, table: parameter.table, parts: keyTypes(owner) };
    }
    return { kind: 'field', index, type };
  };
  const args = routine.parameters.flatMap((parameter): CallArgument[] => {
    const { name, nameless, type, direction } = parameter;
    const input = inputs.find((one) => one.parameter === parameter);
    const value: CallValue = input === undefined ? { kind: 'default' } : valueOf(input);
    return [{ name, nameless: nameless ?? false, type, direction, value }];
  });
  const columns = routine.returns.kind === 'none' ? [] : columnsOf(routine);
  return {
    query: {
      kind: routine.kind,
      schema: routine.schema,
      name: routine.name,
      arguments: args,
      columns:
        routine.kind === 'procedure'
          ? null
          : returns.kind === 'nothing'
            ? firstOf(columns)
            : columns,
      isScalar: routine.returns.kind === 'value',
      // One more than there may be tells that there are too many.
      most: MOST_CALLED_ROWS + 1,
    },
    fields,
    bytes,
  };
}

/** Of what nobody is told, one column is enough to have it run. */
function firstOf<Column>(columns: readonly Column[] | null): readonly Column[] | null {
  return columns?.slice(0, 1) ?? null;
}

function keyTypes(owner: Dataclass | null): ColumnType[] {
  return (owner?.key ?? []).map(({ columnType }) => columnType);
}
