import type { ApiFunction, FunctionInput } from '../../model/functions/function-types.ts';
import { columnsOf } from '../../model/functions/function-types.ts';
import type { Dataclass } from '../../model/types.ts';
import type { CallArgument, CallQuery, CallValue } from '../../sql/ir/call.ts';
import type { ColumnType } from '../../schema/types.ts';

/** A call as the database is told it, with where its values come from. */
export interface PlannedCall {
  readonly query: CallQuery;
  /** What stands in each field of the statement's row, in order. */
  readonly fields: readonly FunctionInput[];
  /** The same of its bytes. */
  readonly bytes: readonly FunctionInput[];
}

/**
 * Plans the statement of a call.
 * @param given how many parameters the client gives: the others are left to the routine
 * @param owner the dataclass whose entities it is called on; null where there is none
 * @param most how many rows of a function are asked for at most
 */
export function planCallQuery(
  { routine, inputs, returns }: ApiFunction,
  given: number,
  owner: Dataclass | null,
  most: number,
): PlannedCall {
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
      most,
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
