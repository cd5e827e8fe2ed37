/** The physical schema of a database of any engine. The model is built from it, and a snapshot of it can replace the live database. */
export interface PhysicalSchema {
  readonly tables: readonly Table[];
  /** Procedures and functions that can be called; left out in old snapshots. */
  readonly routines?: readonly Routine[];
  /** Names that differ only in case are the same (most SQL Servers). */
  readonly ignoreCase?: boolean;
  /** What the database refused to tell, in sentences without a full stop. */
  readonly notes?: readonly string[];
}

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

/** A table or a view. Names are exactly the database's. */
export interface Table {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly columns: readonly Column[];
  /** Column names of the primary key in key order; empty where none is declared. */
  readonly primaryKey: readonly string[];
  readonly indexes: readonly Index[];
  readonly foreignKeys: readonly ForeignKey[];
  /** As {@link PhysicalSchema.ignoreCase}, for the names of columns. */
  readonly ignoreCase?: boolean;
  /** What the engine itself changes with every change of a row. */
  readonly rowVersion: RowVersion | null;
  readonly checks?: readonly Check[];
  /**
   * Changes whose result the engine does not report, and which write one row at a time: those that INSTEAD OF triggers stand in for, and those of
   * views that are more than a plain SELECT (SQL Server).
   */
  readonly instead?: readonly ('insert' | 'update' | 'delete')[];
  /** The gateway's user cannot lock its rows before they are changed. */
  readonly unlockable?: true;
  /** BEFORE INSERT triggers may change or drop a new row (PostgreSQL). */
  readonly beforeInsert?: true;
  /** BEFORE DELETE triggers may keep a row (PostgreSQL). */
  readonly beforeDelete?: true;
  /** An update of a row may do more: there are triggers or rules on updates, or the row may belong to a table that inherits (PostgreSQL). */
  readonly updatesMore?: true;
  /** Other tables inherit from it; their rows are its rows, too, and are not under its unique constraints (PostgreSQL). */
  readonly isInherited?: true;
  /**
   * Columns whose changes may wait for more than their row: for changes of other rows, because of a unique index, an exclusion constraint or a foreign
   * key, or in a user-defined function; left out for those of the primary key (PostgreSQL).
   */
  readonly contended?: readonly string[];
  /** The engine takes no changes: the history of a system-versioned table (SQL Server). */
  readonly readOnly?: true;
  /** Columns that the gateway cannot read; they are not among {@link columns}. */
  readonly leftOut?: readonly LeftOutColumn[];
  /** Warnings for the author of a mapping, in sentences without a full stop. */
  readonly notes?: readonly string[];
}

export interface LeftOutColumn {
  readonly name: string;
  /** The reason, to follow "is left out: ". */
  readonly why: string;
}

/** A check constraint and the columns that it uses. */
export interface Check {
  readonly name: string;
  readonly columns: readonly string[];
}

/** A rowversion column (SQL Server), or the system column xmin (PostgreSQL). */
export type RowVersion =
  { readonly kind: 'column'; readonly name: string } | { readonly kind: 'xmin' };

export interface Column {
  readonly name: string;
  /** 1-based position in the table. */
  readonly position: number;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly identity: boolean;
  /** The identity is a default from a sequence, which a client's value may replace. */
  readonly sequence?: true;
  /** Only the database sets it: a computed column, or one that an updatable view makes of others. */
  readonly computed: boolean;
  readonly hasDefault: boolean;
  /** A LOB (`max` on SQL Server, `bytea`): one value may have megabytes. */
  readonly large?: true;
  /** Its default makes ascending GUIDs, so that an index grows at its end (SQL Server). */
  readonly sequentialGuids?: true;
  /** It is not a column of the table but computed from its row. */
  readonly expression?: Expression;
}

/** SQL over the columns of one row, split at their names. */
export type Expression = readonly (string | { readonly column: string })[];

/** An index; its columns are those it begins with, in order. */
export interface Index {
  readonly name: string;
  readonly columns: readonly string[];
  /** Unique over the whole table: filtered (partial) unique indexes are not. */
  readonly unique: boolean;
}

/** A foreign key: `columns[i]` refers to `targetColumns[i]`. */
export interface ForeignKey {
  readonly name: string;
  readonly columns: readonly string[];
  readonly targetSchema: string;
  readonly targetTable: string;
  readonly targetColumns: readonly string[];
  /** It is disabled or not trusted: rows may violate it (SQL Server). */
  readonly unenforced?: true;
}

/** The type of a column in terms that both engines share. `native` is the engine's name; on SQL Server with lengths and digits, as in a cast. */
export type ColumnType = { readonly native: string } & TypeKind;

export type TypeKind =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'integer'; readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean }
  | {
      readonly kind: 'decimal';
      readonly precision: number | null;
      readonly scale: number | null;
      /** Left out where precision and scale determine it. */
      readonly range?: DecimalRange;
      /** The engine compares only with values of the type: one between two of them has to be rounded before. */
      readonly stepped?: true;
    }
  | { readonly kind: 'float'; readonly bits: 32 | 64 }
  | {
      readonly kind: 'text';
      /** In characters; null for unlimited. */
      readonly maxLength: number | null;
      readonly maxBytes?: MaxBytes;
      /** Padded with blanks to its length (CHAR, NCHAR). */
      readonly padded: boolean;
      /** The column's collation, where the dialect has to name it. */
      readonly collation?: string;
    }
  | { readonly kind: 'uuid' }
  | { readonly kind: 'date' }
  | {
      readonly kind: 'timestamp';
      readonly zoned: boolean;
      readonly coarse?: CoarseTime;
      readonly fractionDigits?: FractionDigits;
      /** As for a decimal. */
      readonly stepped?: true;
    }
  | { readonly kind: 'time'; readonly fractionDigits?: FractionDigits }
  | {
      readonly kind: 'json';
      /** It is a text column that a mapping declares as JSON. */
      readonly asText: boolean;
      /** The type of the items of a PostgreSQL array of any dimensions, which is read and written as a JSON array. */
      readonly items?: ColumnType;
    }
  | { readonly kind: 'binary' }
  /** Bytes of a key or a reference; the canonical text is hexadecimal digits in upper case. */
  | { readonly kind: 'hex' }
  /** Read as text and otherwise unknown: it cannot be compared with a value of its own type. */
  | {
      readonly kind: 'opaque';
      /** The labels of an enum. */ readonly values?: readonly string[];
      readonly maxBytes?: MaxBytes;
      /** For a time with an offset. */
      readonly fractionDigits?: FractionDigits;
    };

/** Digits of a column for fractions of a second; left out where the column has as many as its engine. */
export type FractionDigits = number;

/** Bytes of UTF-8 beyond which the engine cuts a value silently. */
export type MaxBytes = number;

/** The least and the greatest value of a type, as plain digits. */
export interface DecimalRange {
  readonly lowest: string;
  readonly highest: string;
}

/** Whether a value between two of the type's has to be rounded before the engine sees it. A decimal of 38 digits has no room for more. */
export function isStepped(type: ColumnType): boolean {
  if (type.kind === 'timestamp') return type.coarse !== undefined || type.stepped === true;
  return type.kind === 'decimal' && (type.precision === 38 || type.stepped === true);
}

/** A stored procedure or function. Names are exactly the database's. */
export interface Routine {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'procedure' | 'function';
  /** In the order of their declaration, without those that are columns of a function's result. */
  readonly parameters: readonly RoutineParameter[];
  readonly returns: RoutineResult;
}

export interface RoutineParameter {
  /** Without T-SQL's `@`; `$1`, … where PostgreSQL's parameter has none. */
  readonly name: string;
  readonly type: ColumnType;
  readonly direction: 'in' | 'out' | 'inout';
  /** Whether it has a default; left out where the database does not tell (SQL Server). */
  readonly optional?: boolean;
  /** It has no name and is passed by its position. */
  readonly nameless?: true;
  /** Its table type (SQL Server). */
  readonly table?: { readonly schema: string; readonly name: string };
}

/** The result of a function; of a procedure `none`. */
export type RoutineResult =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly type: ColumnType }
  /** The columns are null where only the answer tells them. */
  | { readonly kind: 'row' | 'rows'; readonly columns: readonly RoutineColumn[] | null };

export interface RoutineColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** The range of SQL Server's older date-times in UTC, and the step of their values. */
export interface CoarseTime {
  readonly first: string;
  readonly last: string;
  /** A tick is 1/300 s: values end in 0, 3 and 7 milliseconds. */
  readonly step: 'tick' | 'minute';
}

/** `schema.name`, as messages write it. */
export function qualifiedName(table: { readonly schema: string; readonly name: string }): string {
  return `${table.schema}.${table.name}`;
}
