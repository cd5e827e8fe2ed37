import sql from 'mssql';
import type { Parameter } from '../query/ir.ts';
import type { ColumnType } from '../schema/types.ts';
import type { BoundParameter } from '../sql/dialect.ts';
import { isUnicode } from '../sql/tsql/native-type.ts';

/** A parameter as the driver takes it. */
export interface Bound {
  readonly type: sql.ISqlType | (() => sql.ISqlType);
  readonly value: unknown;
}

/**
 * The driver's type and value of a parameter. One query shape is one plan: lengths are the type's largest, never the
 * value's. What the driver would round or shift is bound as text, and converted by the statement.
 */
export function bind({ parameter, value }: BoundParameter): Bound {
  switch (parameter.kind) {
    case 'keyList':
    case 'rows':
      return { type: sql.NVarChar(sql.MAX), value };
    case 'content':
      return { type: sql.VarBinary(sql.MAX), value: Buffer.from(value ?? '', 'base64') };
    case 'constant':
      return unicode(value);
    case 'part':
      return bindValue(parameter.type, value);
    case 'parameter':
      return bindParameter(parameter, value);
  }
}

function bindParameter({ type, use }: Parameter, value: string | null): Bound {
  switch (use) {
    case 'count':
      return { type: sql.BigInt, value };
    case 'list':
      return { type: sql.NVarChar(sql.MAX), value };
    case 'wildcard':
    case 'begins':
    case 'contains':
    case 'value':
      return bindValue(type, value);
  }
}

function bindValue(type: ColumnType, value: string | null): Bound {
  switch (type.kind) {
    case 'boolean':
      return { type: sql.Bit, value: value === null ? null : value === 'true' };
    case 'integer':
      return type.bits === 64
        ? { type: sql.BigInt, value }
        : {
            type: { 8: sql.TinyInt, 16: sql.SmallInt, 32: sql.Int }[type.bits],
            value: value === null ? null : Number(value),
          };
    case 'float':
      return {
        type: type.bits === 32 ? sql.Real : sql.Float,
        value: value === null ? null : Number(value),
      };
    case 'uuid':
      return { type: sql.UniqueIdentifier, value };
    case 'decimal':
    case 'date':
    case 'timestamp':
    case 'time':
      return { type: sql.VarChar(50), value };
    case 'text':
      // Unicode in a varchar parameter would turn into question marks, and equal them.
      return isUnicode(type) || !isAscii(value ?? '')
        ? unicode(value)
        : { type: (value ?? '').length > 8000 ? sql.VarChar(sql.MAX) : sql.VarChar(8000), value };
    case 'json':
    case 'binary':
    case 'opaque':
      return unicode(value);
  }
}

function unicode(value: string | null): Bound {
  return { type: (value ?? '').length > 4000 ? sql.NVarChar(sql.MAX) : sql.NVarChar(4000), value };
}

function isAscii(text: string): boolean {
  return !/[^\u0020-\u007e\s]/.test(text);
}
