import sql from 'mssql';
import type { BoundParameter } from '../sql/dialect.ts';
import { parameterType, type ParameterType } from '../sql/tsql/parameter-type.ts';

/** A parameter as the driver takes it. */
export interface Bound {
  readonly type: sql.ISqlType | (() => sql.ISqlType);
  readonly value: unknown;
}

/** The driver's names of the types that parameters are bound as. */
const TYPES: Readonly<Record<ParameterType, Bound['type']>> = {
  bit: sql.Bit,
  tinyint: sql.TinyInt,
  smallint: sql.SmallInt,
  int: sql.Int,
  bigint: sql.BigInt,
  real: sql.Real,
  float: sql.Float,
  uniqueidentifier: sql.UniqueIdentifier,
  'varchar(50)': sql.VarChar(50),
  'varchar(8000)': sql.VarChar(8000),
  'varchar(max)': sql.VarChar(sql.MAX),
  'nvarchar(4000)': sql.NVarChar(4000),
  'nvarchar(max)': sql.NVarChar(sql.MAX),
  'varbinary(max)': sql.VarBinary(sql.MAX),
};

/** The driver's type and value of a parameter. */
export function bind(bound: BoundParameter): Bound {
  const type = parameterType(bound);
  return {
    type: TYPES[type],
    value:
      bound.value instanceof Uint8Array
        ? Buffer.from(bound.value.buffer, bound.value.byteOffset, bound.value.byteLength)
        : driverValue(type, bound.value),
  };
}

function driverValue(type: ParameterType, value: string | null): unknown {
  switch (type) {
    case 'bit':
      return value === null ? null : value === 'true';
    case 'tinyint':
    case 'smallint':
    case 'int':
    case 'real':
    case 'float':
      return value === null ? null : Number(value);
    case 'bigint':
    case 'uniqueidentifier':
    case 'varbinary(max)':
    case 'varchar(50)':
    case 'varchar(8000)':
    case 'varchar(max)':
    case 'nvarchar(4000)':
    case 'nvarchar(max)':
      return value;
  }
}
