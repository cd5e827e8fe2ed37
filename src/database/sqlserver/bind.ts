import { TYPES, type Request } from 'tedious';
import { bufferOf } from '../../base/text.ts';
import type { StatementParameter } from '../../sql/dialect.ts';
import { parameterType, type ParameterType } from '../../sql/tsql/parameter-type.ts';
import { EncodedText, type DriverValue, type ShortValue } from '../long-text.ts';

/** A type of the driver's, and the length of those that have one. */
export interface Binding {
  readonly type: (typeof TYPES)[keyof typeof TYPES];
  readonly length?: number;
  /** Digits of a second's fraction. */
  readonly scale?: number;
}

/** Longer than what any length can say: the driver writes `max`. */
export const MAX = Infinity;

/** The driver's types that parameters are bound as. */
const BINDINGS: Readonly<Record<ParameterType, Binding>> = {
  bit: { type: TYPES.Bit },
  tinyint: { type: TYPES.TinyInt },
  smallint: { type: TYPES.SmallInt },
  int: { type: TYPES.Int },
  bigint: { type: TYPES.BigInt },
  real: { type: TYPES.Real },
  float: { type: TYPES.Float },
  uniqueidentifier: { type: TYPES.UniqueIdentifier },
  'nvarchar(50)': { type: TYPES.NVarChar, length: 50 },
  'nvarchar(4000)': { type: TYPES.NVarChar, length: 4000 },
  'nvarchar(max)': { type: TYPES.NVarChar, length: MAX },
  'varbinary(max)': { type: TYPES.VarBinary, length: MAX },
};

/** The driver's type and value of a parameter. */
export function bindingOf(
  parameter: StatementParameter,
  value: ShortValue,
): { readonly binding: Binding; readonly value: unknown } {
  const type = parameterType(parameter, value);
  return { binding: BINDINGS[type], value: driverValue(type, value) };
}

/** The driver's nvarchar(max), for texts that are encoded already. */
const ENCODED = {
  ...TYPES.NVarChar,
  validate: (value: unknown) => value,
  /** A value whose length is not told before is of chunks behind their lengths, and ends with an empty one (MS-TDS 2.2.5.2.3). */
  generateParameterData: function* ({ value }: { readonly value: EncodedText }) {
    for (const piece of value.pieces) yield* [chunkLength(piece.length), piece];
    yield chunkLength(0);
  },
};

function chunkLength(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes);
  return length;
}

/** Gives a request the values of its statement's parameters, which are called `p1`, `p2`, … */
export function bind(
  request: Request,
  parameters: readonly StatementParameter[],
  values: readonly DriverValue[],
): void {
  for (const [index, parameter] of parameters.entries()) {
    const given = values[index] ?? null;
    if (given instanceof EncodedText) {
      request.addParameter(`p${index + 1}`, ENCODED, given, { length: MAX });
      continue;
    }
    const { binding, value } = bindingOf(parameter, given);
    const { type, length } = binding;
    request.addParameter(`p${index + 1}`, type, value, length === undefined ? {} : { length });
  }
}

function driverValue(type: ParameterType, value: ShortValue): unknown {
  if (value === null) return null;
  if (value instanceof Uint8Array) {
    return bufferOf(value);
  }
  switch (type) {
    case 'bit':
      return value === 'true';
    case 'tinyint':
    case 'smallint':
    case 'int':
    case 'real':
    case 'float':
      return Number(value);
    case 'bigint':
    case 'uniqueidentifier':
    case 'varbinary(max)':
    case 'nvarchar(50)':
    case 'nvarchar(4000)':
    case 'nvarchar(max)':
      return value;
  }
}
