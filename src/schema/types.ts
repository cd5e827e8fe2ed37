import { z } from 'zod';

// The physical schema as shapes, from which the types are inferred: a snapshot in a file is checked by them.

/** A list of which only the first wrong item is reported: describing hundreds of thousands would take long. */
function list<Item extends z.ZodType>(item: Item): z.ZodType<readonly z.output<Item>[]> {
  return z.custom<readonly z.output<Item>[]>().superRefine((items, context) => {
    if (!Array.isArray(items)) {
      context.addIssue({ code: 'custom', message: 'is not a list' });
      return;
    }
    for (const [index, one] of items.entries()) {
      const issue = item.safeParse(one).error?.issues[0];
      if (issue === undefined) continue;
      context.addIssue({ ...issue, path: [index, ...issue.path] });
      return;
    }
  });
}

function object<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape).readonly();
}

const text = z.string();
const texts = list(text);
const flag = z.boolean();
const set = z.literal(true).exactOptional();
const digits = z.int().min(0);

/** Digits of a column for fractions of a second; left out where the column has as many as its engine. */
const fractionDigits = digits.exactOptional();

/** Bytes of UTF-8 beyond which the engine cuts a value silently. */
const maxBytes = z.int().exactOptional();

/** The least and the greatest value of a type, as plain digits. */
const decimalRange = object({ lowest: text, highest: text });

/** The range of SQL Server's older date-times in UTC, and the step of their values: a tick is 1/300 s, so that they end in 0, 3 and 7 milliseconds. */
const coarseTime = object({ first: text, last: text, step: z.enum(['tick', 'minute']) });

/** A kind of type. `native` is the engine's name; on SQL Server with lengths and digits, as in a cast. */
function kind<Kind extends string, Rest extends z.ZodRawShape>(name: Kind, rest: Rest) {
  return object({ native: text, kind: z.literal(name), ...rest });
}

const plainTypes = [
  kind('boolean', {}),
  kind('integer', { bits: z.literal([8, 16, 32, 64]), signed: flag }),
  kind('decimal', {
    precision: digits.nullable(),
    scale: z.int().nullable(),
    /** Left out where precision and scale determine it. */
    range: decimalRange.exactOptional(),
    /** The engine compares only with values of the type: one between two of them has to be rounded before. */
    stepped: set,
  }),
  kind('float', { bits: z.literal([32, 64]) }),
  kind('text', {
    /** In characters; null for unlimited. */
    maxLength: digits.nullable(),
    maxBytes,
    /** Padded with blanks to its length (CHAR, NCHAR). */
    padded: flag,
    /** The column's collation, where the dialect has to name it. */
    collation: text.exactOptional(),
    /** A collation that folds all letters, where the column's own folds ASCII alone (PostgreSQL). */
    foldCollation: text.exactOptional(),
    /** Its collation is nondeterministic, and the engine has no LIKE for it (PostgreSQL before 18). */
    withoutLike: set,
  }),
  kind('uuid', {}),
  kind('date', {
    /** It is the first day of such a part of dates, and is written as that: `2026-03`. Only of what a statement computes. */
    part: z.enum(['year', 'quarter', 'month', 'week', 'day']).exactOptional(),
  }),
  kind('timestamp', {
    zoned: flag,
    coarse: coarseTime.exactOptional(),
    fractionDigits,
    /** As for a decimal. */
    stepped: set,
  }),
  kind('time', { fractionDigits }),
  kind('binary', {}),
  /** Bytes of a key or a reference; the canonical text is hexadecimal digits in upper case. */
  kind('hex', {}),
  /** Read as text and otherwise unknown. It may have the labels of an enum. */
  kind('opaque', {
    values: texts.exactOptional(),
    maxBytes,
    fractionDigits,
    /** The schema of a type that reads what its values are compared with (PostgreSQL). */
    typeSchema: text.exactOptional(),
    /** The type's own operators compare and order its values, by other names than usual where one is here; left out where their text does. */
    operators: z.record(text, text).readonly().exactOptional(),
    /** Separates the items of its arrays; left out for a comma. */
    delimiter: text.exactOptional(),
  }),
] as const;

interface JsonType {
  readonly native: string;
  readonly kind: 'json';
  /** It is a text column that a mapping declares as JSON. */
  readonly asText: boolean;
  /** The type of the items of a PostgreSQL array of any dimensions, which is read and written as a JSON array. */
  readonly items?: ColumnType;
}

/** The type of a column in terms that both engines share. */
export type ColumnType = z.output<(typeof plainTypes)[number]> | JsonType;

const type: z.ZodType<ColumnType> = z.discriminatedUnion('kind', [
  ...plainTypes,
  kind('json', { asText: flag, items: z.lazy((): z.ZodType<ColumnType> => type).exactOptional() }),
]);

/** The comment of the database's authors: `COMMENT ON` of PostgreSQL, the property `MS_Description` of SQL Server. */
const description = text.exactOptional();

const column = object({
  name: text,
  /** 1-based position in the table. */
  position: z.int(),
  type,
  nullable: flag,
  identity: flag,
  /** The identity is a default from a sequence, which a client's value may replace. */
  sequence: set,
  /** Only the database sets it: a computed column, or one that an updatable view makes of others. */
  computed: flag,
  hasDefault: flag,
  /** A LOB (`max` on SQL Server, `bytea`): one value may have megabytes. */
  large: set,
  /** Its default makes ascending GUIDs, so that an index grows at its end (SQL Server). */
  sequentialGuids: set,
  description,
});

/** An index; its columns are those it begins with, in order. It is unique only over the whole table: a filtered (partial) index is not. */
const index = object({ name: text, columns: texts, unique: flag });

/** A foreign key: `columns[i]` refers to `targetColumns[i]`. */
const foreignKey = object({
  name: text,
  columns: texts,
  targetSchema: text,
  targetTable: text,
  targetColumns: texts,
  /** It is disabled or not trusted: rows may violate it (SQL Server). */
  unenforced: set,
}).refine(({ columns, targetColumns }) => columns.length === targetColumns.length, {
  path: ['targetColumns'],
});

/** A check constraint and the columns that it uses; the values, as texts, of one that lists those of its only column. */
const check = object({ name: text, columns: texts, values: texts.exactOptional() });

/** A column that the gateway cannot read; the reason follows "is left out: ". */
const leftOutColumn = object({ name: text, why: text });

/** A table or a view. Names are exactly the database's. */
const table = object({
  schema: text,
  name: text,
  kind: z.enum(['table', 'view']),
  description,
  /** Those of mapped tables include computed ones. */
  columns: list<z.ZodType<Column>>(column),
  /** Column names of the primary key in key order; empty where none is declared. */
  primaryKey: texts,
  indexes: list(index),
  foreignKeys: list(foreignKey),
  /** As that of the schema, for the names of columns. */
  ignoreCase: flag.exactOptional(),
  /** What the engine itself changes with every change of a row: a rowversion column (SQL Server), or the system column xmin (PostgreSQL). */
  rowVersion: z
    .union([object({ kind: z.literal('column'), name: text }), object({ kind: z.literal('xmin') })])
    .nullable(),
  /** The engine keeps which rows have changed, and the keys of deleted ones, by the primary key (change tracking of SQL Server). */
  changeTracking: set,
  checks: list(check).exactOptional(),
  /**
   * Changes whose result the engine does not report, and which write one row at a time: those that INSTEAD OF triggers stand in for, and those of
   * views that are more than a plain SELECT (SQL Server).
   */
  instead: list(z.enum(['insert', 'update', 'delete'])).exactOptional(),
  /** The gateway's user cannot lock its rows before they are changed. */
  unlockable: set,
  /** BEFORE INSERT triggers may change or drop a new row (PostgreSQL). */
  beforeInsert: set,
  /** A delete may keep a row without an error: by BEFORE DELETE triggers, or policies, also of the tables below a view (PostgreSQL). */
  mayKeepRows: set,
  /** An update of a row may do more: there are triggers or rules on updates (PostgreSQL). */
  updatesMore: set,
  /** Other tables inherit from it: it is read and written without their rows, which are not under its key and its constraints (PostgreSQL). */
  isInherited: set,
  /**
   * Columns whose changes may wait for more than their row: for changes of other rows, because of a unique index, an exclusion constraint or a foreign
   * key, or in a user-defined function; left out for those of the primary key (PostgreSQL).
   */
  contended: texts.exactOptional(),
  /** The engine takes no changes: the history of a system-versioned table (SQL Server). */
  readOnly: set,
  /** They are not among {@link columns}. */
  leftOut: list(leftOutColumn).exactOptional(),
  /** Warnings for the author of a mapping, in sentences without a full stop. */
  notes: texts.exactOptional(),
});

const routineParameter = object({
  /** Without T-SQL's `@`; `$1`, … where PostgreSQL's parameter has none. */
  name: text,
  type,
  direction: z.enum(['in', 'out', 'inout']),
  /** Whether it has a default; left out where the database does not tell (SQL Server). */
  optional: flag.exactOptional(),
  /** It has no name and is passed by its position. */
  nameless: set,
  /** Its table type (SQL Server). */
  table: object({ schema: text, name: text }).exactOptional(),
});

const routineColumn = object({ name: text, type });

/** The result of a function; of a procedure `none`. The columns are null where only the answer tells them. */
const routineResult = z.discriminatedUnion('kind', [
  object({ kind: z.literal('none') }),
  object({ kind: z.literal('value'), type }),
  object({ kind: z.enum(['row', 'rows']), columns: list(routineColumn).nullable() }),
]);

/** A stored procedure or function. Names are exactly the database's. */
const routine = object({
  schema: text,
  name: text,
  kind: z.enum(['procedure', 'function']),
  /** In the order of their declaration, without those that are columns of a function's result. */
  parameters: list(routineParameter),
  returns: routineResult,
});

/** The physical schema of a database of any engine. The model is built from it, and a snapshot of it can replace the live database. */
export const schemaShape = object({
  tables: list(table),
  /** Procedures and functions that can be called; left out in old snapshots. */
  routines: list(routine).exactOptional(),
  /** Names that differ only in case are the same (most SQL Servers). */
  ignoreCase: flag.exactOptional(),
  /** What the database refused to tell, in sentences without a full stop. */
  notes: texts.exactOptional(),
});

type WithoutNative<Type> = Type extends unknown ? Omit<Type, 'native'> : never;

export type TypeOf<Kind extends ColumnType['kind']> = Extract<ColumnType, { readonly kind: Kind }>;

/** A type without its name. */
export type TypeKind = WithoutNative<ColumnType>;

export type DecimalRange = z.output<typeof decimalRange>;
export type CoarseTime = z.output<typeof coarseTime>;
export type Index = z.output<typeof index>;
export type ForeignKey = z.output<typeof foreignKey>;
export type Check = z.output<typeof check>;
export type LeftOutColumn = z.output<typeof leftOutColumn>;
export type Table = z.output<typeof table>;
export type RoutineParameter = z.output<typeof routineParameter>;
export type RoutineColumn = z.output<typeof routineColumn>;
export type RoutineResult = z.output<typeof routineResult>;
export type Routine = z.output<typeof routine>;
export type PhysicalSchema = z.output<typeof schemaShape>;

/** A column; one with an expression is not in the table but computed from its row. */
export type Column = z.output<typeof column> & { readonly expression?: Expression };

/** SQL over the columns of one row, split at their names. */
export type Expression = readonly (string | { readonly column: string })[];

/** Finds an item by its exact name, or, where the database ignores case, by one that differs only in case. */
export function findNamed<Named>(
  items: readonly Named[],
  name: string,
  nameOf: (item: Named) => string,
  ignoreCase: boolean,
): Named | undefined {
  const exact = items.find((item) => nameOf(item) === name);
  if (exact !== undefined || !ignoreCase) return exact;
  return items.find((item) => nameOf(item).toLowerCase() === name.toLowerCase());
}

/** Whether a value between two of the type's has to be rounded before the engine sees it. A decimal of 38 digits has no room for more. */
export function isQuantized(type: ColumnType): boolean {
  if (type.kind === 'timestamp') return type.coarse !== undefined || type.stepped === true;
  return type.kind === 'decimal' && (type.precision === 38 || type.stepped === true);
}

/** `schema.name`, as messages write it. */
export function qualifiedName(table: { readonly schema: string; readonly name: string }): string {
  return `${table.schema}.${table.name}`;
}

/** Compares two texts by their UTF-16 code units, for a sort that does not depend on the locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares two names as {@link compareText} does. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return compareText(a.name, b.name);
}

/** Returns the description of a table or column for its place in the schema: nothing where the catalog has none, or only blanks. */
export function describedBy(text: string | null | undefined): Pick<Table, 'description'> {
  const description = text?.trim() ?? '';
  return description === '' ? {} : { description };
}
