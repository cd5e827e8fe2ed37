import type { CalculatedSetting } from '../../config/mapping.ts';
import { translateType } from '../../schema/translate.ts';
import type { Column, ColumnType } from '../../schema/types.ts';
import type { MappingContext } from '../mapping-context.ts';
import { readExpression, type NamedPart, type SqlDialect } from './sql-expression.ts';
import type { StorageAttribute } from '../types.ts';

/** Reads an attribute that the database computes; null where it is wrong, which is reported. Its expression replaces its column wherever it is read. */
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
    const message = `has no expression for ${dialect}, which the database speaks`;
    return context.problem([...path, 'sql'], message);
  }
  const parts = readExpression(text, { dialect, functions: sqlFunctions });
  if (typeof parts === 'string') return context.problem(at, `the SQL of ${name} ${parts}`);
  const expression = parts.flatMap((part) => {
    if (typeof part === 'string') return part;
    const column = columnNamed(part, at, context);
    return column === null ? [] : { column: column.name };
  });
  if (expression.length < parts.length) return null;
  const columnType = typeOf(setting, dialect);
  const { type, simpleDate = settings.simpleDates ?? false } = setting;
  return computedAttribute({
    name,
    description: setting.description ?? null,
    column: {
      // No column of any engine has this character in its name.
      name: `\0${name}`,
      type: columnType,
      expression: ['CAST((', ...expression, `) AS ${sqlName(columnType)})`],
    },
    type: type === 'datetime' ? 'date' : type,
    ignoreCase: setting.ignoreCase ?? settings.ignoreCase,
    simpleDate: type === 'date' && simpleDate,
  });
}

/** An attribute that the database computes, which no request writes. */
export function computedAttribute({
  column,
  ...attribute
}: Pick<StorageAttribute, 'name' | 'description' | 'type' | 'ignoreCase' | 'simpleDate'> & {
  readonly column: Pick<Column, 'name' | 'type' | 'expression'>;
}): StorageAttribute {
  return {
    kind: 'calculated',
    ...attribute,
    column: {
      position: 0,
      nullable: true,
      identity: false,
      computed: true,
      hasDefault: false,
      ...column,
    },
    columnType: column.type,
    trim: false,
    unique: false,
    indexed: false,
    readOnly: 'it is calculated',
    allowedValues: null,
  };
}

/** Finds the column that an expression names: without quotes in any case, as in SQL, where there is one such column. */
function columnNamed(
  { name, isQuoted }: NamedPart,
  at: readonly string[],
  context: MappingContext,
): Column | null {
  const { columns } = context.table;
  const exact = columns.find((column) => column.name === name);
  if (exact !== undefined || isQuoted) return exact ?? context.column(name, at);
  const [only, ...others] = columns.filter(
    (column) => column.name.toLowerCase() === name.toLowerCase(),
  );
  return only !== undefined && others.length === 0 ? only : context.column(name, at);
}

/** The column type that the expression is converted to. */
function typeOf({ type, maxLength, scale }: CalculatedSetting, dialect: SqlDialect): ColumnType {
  if (type === 'number' && scale !== undefined) {
    return translateType({ kind: 'decimal', precision: DIGITS, scale, native: '' }, dialect);
  }
  if (type === 'string') {
    const text = { kind: 'text', maxLength: maxLength ?? null, padded: false, native: '' } as const;
    return translateType(text, dialect);
  }
  // PostgreSQL has no integers of one byte.
  const wanted = type === 'byte' && dialect === 'postgres' ? 'word' : type;
  return translateType({ ...PLAIN_TYPES[wanted], native: '' }, dialect);
}

const PLAIN_TYPES = {
  bool: { kind: 'boolean' },
  byte: { kind: 'integer', bits: 8, signed: false },
  word: { kind: 'integer', bits: 16, signed: true },
  long: { kind: 'integer', bits: 32, signed: true },
  long64: { kind: 'integer', bits: 64, signed: true },
  number: { kind: 'float', bits: 64 },
  uuid: { kind: 'uuid' },
  date: { kind: 'date' },
  datetime: { kind: 'timestamp', zoned: false },
  duration: { kind: 'time' },
} as const;

/** The digits of SQL Server's longest decimals. */
const DIGITS = 38;

/** The name of a type in a cast: SQL Server's names include their lengths already. */
function sqlName(type: ColumnType): string {
  if (type.native === 'numeric' && type.kind === 'decimal') {
    return `numeric(${type.precision ?? DIGITS}, ${type.scale ?? 0})`;
  }
  if (type.native === 'varchar' && type.kind === 'text') return `varchar(${type.maxLength ?? ''})`;
  return type.native;
}
