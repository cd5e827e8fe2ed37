import type { CalculatedSetting } from '../../config/mapping.ts';
import { translateType } from '../../schema/translate.ts';
import type { Column, ColumnType } from '../../schema/types.ts';
import type { MappingContext } from '../mapping-context.ts';
import { readExpression, type NamedPart, type SqlDialect } from './sql-expression.ts';
import type { StorageAttribute } from '../types.ts';

/**
 * An attribute that the database computes of its row. It stands on a column that the table has not, and whose place an expression takes
 * wherever it is read: so it filters, sorts and is answered as any other, and is never written.
 * @param path where the mapping file says it
 * @returns null where it cannot be read, which is reported
 */
export function calculatedAttribute(
  name: string,
  setting: CalculatedSetting,
  path: readonly string[],
  context: MappingContext,
): StorageAttribute | null {
  const { settings } = context;
  const { dialect = 'postgres', sqlFunctions = [] } = settings;
  const at = [...path, 'sql', ...(typeof setting.sql === 'string' ? [] : [dialect])];
  const text = typeof setting.sql === 'string' ? setting.sql : setting.sql[dialect];
  if (text === undefined) {
    context.problem(
      [...path, 'sql'],
      `has no expression for ${dialect}, which the database speaks`,
    );
    return null;
  }
  const parts = readExpression(text, { dialect, functions: sqlFunctions });
  if (typeof parts === 'string') {
    context.problem(at, `the SQL of ${name} ${parts}`);
    return null;
  }
  const expression = parts.flatMap((part) => {
    if (typeof part === 'string') return part;
    const column = columnNamed(part, at, context);
    return column === null ? [] : { column: column.name };
  });
  if (expression.length < parts.length) return null;
  const columnType = typeOf(setting, dialect);
  return {
    kind: 'calculated',
    name,
    column: {
      // No column of any engine has this character in its name.
      name: `\0${name}`,
      position: 0,
      type: columnType,
      nullable: true,
      identity: false,
      computed: true,
      hasDefault: false,
      expression: ['CAST((', ...expression, `) AS ${sqlName(columnType)})`],
    },
    columnType,
    type: setting.type === 'datetime' ? 'date' : setting.type,
    trim: false,
    ignoreCase: setting.ignoreCase ?? settings.ignoreCase,
    simpleDate: setting.type === 'date' && (setting.simpleDate ?? settings.simpleDates ?? false),
    unique: false,
    indexed: false,
    readOnly: true,
  };
}

/** The column that an expression names: without quotes in whatever case, as SQL has it, where it is the only one. */
function columnNamed(
  { name, isQuoted }: NamedPart,
  at: readonly string[],
  context: MappingContext,
): Column | null {
  const { columns } = context.table;
  const exact = columns.find((column) => column.name === name);
  if (exact !== undefined || isQuoted) return exact ?? context.column(name, at);
  const alike = columns.filter((column) => column.name.toLowerCase() === name.toLowerCase());
  const [only, ...others] = alike;
  return only !== undefined && others.length === 0 ? only : context.column(name, at);
}

/** The column type that the expression is converted to. */
function typeOf(setting: CalculatedSetting, dialect: SqlDialect): ColumnType {
  return translateType({ ...plainType(setting, dialect), native: '' }, dialect);
}

type Plain<Type> = Type extends unknown ? Omit<Type, 'native'> : never;

function plainType(
  { type, maxLength, scale }: CalculatedSetting,
  dialect: SqlDialect,
): Plain<ColumnType> {
  switch (type) {
    case 'bool':
      return { kind: 'boolean' };
    case 'byte':
      // PostgreSQL has no integers of one byte.
      return dialect === 'tsql'
        ? { kind: 'integer', bits: 8, signed: false }
        : { kind: 'integer', bits: 16, signed: true };
    case 'word':
      return { kind: 'integer', bits: 16, signed: true };
    case 'long':
      return { kind: 'integer', bits: 32, signed: true };
    case 'long64':
      return { kind: 'integer', bits: 64, signed: true };
    case 'number':
      return scale === undefined
        ? { kind: 'float', bits: 64 }
        : { kind: 'decimal', precision: DIGITS, scale };
    case 'string':
      return { kind: 'text', maxLength: maxLength ?? null, padded: false };
    case 'uuid':
      return { kind: 'uuid' };
    case 'date':
      return { kind: 'date' };
    case 'datetime':
      return { kind: 'timestamp', zoned: false };
    case 'duration':
      return { kind: 'time' };
  }
}

/** As many digits as SQL Server's decimals have. */
const DIGITS = 38;

/** A type as a cast names it: SQL Server's names hold their lengths already. */
function sqlName(type: ColumnType): string {
  if (type.native === 'numeric' && type.kind === 'decimal') {
    return `numeric(${type.precision ?? DIGITS}, ${type.scale ?? 0})`;
  }
  if (type.native === 'varchar' && type.kind === 'text') return `varchar(${type.maxLength ?? ''})`;
  return type.native;
}
