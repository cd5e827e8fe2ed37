import { Request, TYPES } from 'tedious';
import type { WireValue } from '../../sql/dialect.ts';
import { identifier } from '../../sql/tsql/identifier.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { ProcedureCall, ProcedureParameter } from '../database.ts';
import { bindingOf, MAX, type Binding } from './bind.ts';

/** A request that calls a procedure. */
export function callRequest(
  { schema, name, parameters }: ProcedureCall,
  done: (error: Error | null | undefined) => void,
): Request {
  const request = new Request(`${identifier(schema)}.${identifier(name)}`, done);
  for (const parameter of parameters) {
    if (parameter.direction === 'in') {
      const { binding, value } = bindingOf(
        { kind: 'rowField', index: 0, type: parameter.type },
        parameter.value,
      );
      request.addParameter(parameter.name, binding.type, value, sizeOf(binding));
    } else {
      const { binding, value } = outputBinding(parameter);
      request.addOutputParameter(parameter.name, binding.type, value, sizeOf(binding));
    }
  }
  return request;
}

/** What comes out has the length that it has; and a date is told by the server in a form that depends on its type. */
function outputBinding({ type, value }: ProcedureParameter): {
  readonly binding: Binding;
  readonly value: unknown;
} {
  const temporal = temporalBinding(type);
  if (temporal !== null) {
    const at = typeof value === 'string' ? new Date(instantText(type, value)) : null;
    return { binding: temporal, value: at };
  }
  const { binding, value: bound } = bindingOf({ kind: 'rowField', index: 0, type }, value);
  const isText = binding.type === TYPES.NVarChar;
  return { binding: isText ? { ...binding, length: MAX } : binding, value: bound };
}

function temporalBinding({ kind }: ColumnType): Binding | null {
  if (kind === 'date') return { type: TYPES.Date };
  if (kind === 'time') return { type: TYPES.Time, scale: 7 };
  return kind === 'timestamp' ? { type: TYPES.DateTime2, scale: 7 } : null;
}

function instantText({ kind }: ColumnType, value: string): string {
  if (kind === 'time') return `1970-01-01T${value}Z`;
  return /[Z+]|-\d\d:\d\d$/.test(value) || kind === 'date' ? value : `${value.replace(' ', 'T')}Z`;
}

/** An output as the canonical text of its type, where the driver makes a date of it. */
export function outputValue(type: ColumnType, value: unknown): WireValue {
  if (!(value instanceof Date)) return value;
  if (type.kind === 'date') return value.toISOString().slice(0, 10);
  // What a Date cannot hold of a second's fraction the driver puts beside it, in seconds.
  const { nanosecondsDelta = 0 } = value as { nanosecondsDelta?: number };
  const rest = String(Math.round(nanosecondsDelta * 1e7)).padStart(4, '0');
  const text = value.toISOString().slice(0, -1) + rest;
  return type.kind === 'time' ? text.slice(11) : text;
}

function sizeOf({ length, scale }: Binding): { readonly length?: number; readonly scale?: number } {
  return { ...(length === undefined ? {} : { length }), ...(scale === undefined ? {} : { scale }) };
}
