import { TYPES, type Request } from 'tedious';
import { bufferOf } from '../../base/text.ts';
import type { StatementParameter } from '../../sql/ir/statement.ts';
import { parameterType, type ParameterType } from '../../sql/tsql/parameter-type.ts';
import { EncodedText, type DriverValue, type ShortValue } from '../long-text.ts';

/** Longer than any length: the driver writes `max`. */
const MAX = Infinity;

/** The driver's types of parameters, with their options. */
const BINDINGS: Readonly<
  Record<ParameterType, readonly [(typeof TYPES)[keyof typeof TYPES], { readonly length?: number }]>
> = {
  bit: [TYPES.Bit, {}],
  tinyint: [TYPES.TinyInt, {}],
  smallint: [TYPES.SmallInt, {}],
  int: [TYPES.Int, {}],
  bigint: [TYPES.BigInt, {}],
  real: [TYPES.Real, {}],
  float: [TYPES.Float, {}],
  uniqueidentifier: [TYPES.UniqueIdentifier, {}],
  'nvarchar(50)': [TYPES.NVarChar, { length: 50 }],
  'nvarchar(4000)': [TYPES.NVarChar, { length: 4000 }],
  'nvarchar(max)': [TYPES.NVarChar, { length: MAX }],
  'varbinary(max)': [TYPES.VarBinary, { length: MAX }],
};

/** The types whose values the driver takes as numbers. */
const NUMBERS: readonly ParameterType[] = ['tinyint', 'smallint', 'int', 'real', 'float'];

/** The driver's nvarchar(max) for encoded texts. */
const ENCODED = {
  ...TYPES.NVarChar,
  validate: (value: unknown) => value,
  /** A value of unknown length is sent in chunks with their lengths, and ends with an empty one (MS-TDS 2.2.5.2.3). */
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

/** Adds the values of a statement's parameters, `p1`, `p2`, …, to its request. */
export function bind(
  request: Request,
  parameters: readonly StatementParameter[],
  values: readonly DriverValue[],
): void {
  for (const [index, parameter] of parameters.entries()) {
    const name = `p${index + 1}`;
    const value = values[index] ?? null;
    if (value instanceof EncodedText) {
      request.addParameter(name, ENCODED, value, { length: MAX });
      continue;
    }
    const type = parameterType(parameter, value);
    const [driverType, options] = BINDINGS[type];
    request.addParameter(name, driverType, driverValue(type, value), options);
  }
}

function driverValue(type: ParameterType, value: ShortValue): unknown {
  if (value === null) return null;
  if (value instanceof Uint8Array) return bufferOf(value);
  if (type === 'bit') return value === 'true';
  return NUMBERS.includes(type) ? Number(value) : value;
}
