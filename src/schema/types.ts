/**
 * The physical schema of a database as plain data: what an introspection finds, whatever the engine. The model is
 * built from it, and a snapshot of it can stand in for the live database.
 */
export interface PhysicalSchema {
  readonly tables: readonly Table[];
  /** Procedures and functions that can be called; left out in a snapshot of before they were looked for. */
  readonly routines?: readonly Routine[];
  /** The database's names are the same in upper and lower case (most SQL Servers). */
  readonly ignoreCase?: boolean;
  /** What the database refused to tell, in sentences without a full stop; left out where there is nothing. */
  readonly notes?: readonly string[];
}

/** What bears a name of the database's: the exact one, or, where the database ignores case, one that it would find. */
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
  /** The columns' names are the same in upper and lower case, as {@link PhysicalSchema.ignoreCase} says of tables. */
  readonly ignoreCase?: boolean;
  /** What the engine itself changes with every change of a row, if anything. */
  readonly rowVersion: RowVersion | null;
  /** Check constraints; left out where there are none. */
  readonly checks?: readonly Check[];
  /**
   * The changes of which the engine does not tell what became, and that take one row at a time: those that triggers stand in for
   * (INSTEAD OF), and those of views that are not plain SELECT (SQL Server); left out where there are none.
   */
  readonly instead?: readonly ('insert' | 'update' | 'delete')[];
  /** Its rows cannot be locked before they are changed, or not by the gateway's user. */
  readonly unlockable?: true;
  /** Triggers see each new row before it is there: they may change or drop it (PostgreSQL). */
  readonly beforeInsert?: true;
  /** Triggers see each row before it is deleted: they may keep it (PostgreSQL). */
  readonly beforeDelete?: true;
  /** An update of a row does more than it says: a trigger or a rule hears of it, or the row may be that of a table within this one (PostgreSQL). */
  readonly updatesMore?: true;
  /** Other tables inherit from it, whose rows are its rows, too, and meet none of its unique constraints (PostgreSQL). */
  readonly isInherited?: true;
  /**
   * Columns whose changes may wait for something else than their row: for who changes other rows, where a unique index, an exclusion constraint or a foreign key looks at
   * them, or in a function of the database's own; left out where they are those of the primary key (PostgreSQL).
   */
  readonly contended?: readonly string[];
  /** The engine takes no changes: the history of a system-versioned table (SQL Server). */
  readonly readOnly?: true;
  /** Columns that the gateway cannot read; left out where there are none. */
  readonly leftOut?: readonly LeftOutColumn[];
  /** What whoever maps the table should know, in sentences without a full stop; left out where there is nothing. */
  readonly notes?: readonly string[];
}

/** A column that is there and is none of the table's {@link Table.columns}. */
export interface LeftOutColumn {
  readonly name: string;
  /** The reason, behind "is left out: ". */
  readonly why: string;
}

/** A check constraint, and the columns that it looks at. */
export interface Check {
  readonly name: string;
  readonly columns: readonly string[];
}

/** A rowversion column (SQL Server), or the system column xmin (PostgreSQL). */
export type RowVersion =
  { readonly kind: 'column'; readonly name: string } | { readonly kind: 'xmin' };

/** A column, in table order. */
export interface Column {
  readonly name: string;
  /** 1-based position in the table. */
  readonly position: number;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly identity: boolean;
  /** Of an identity that is the default of a sequence: a value of the client's may stand in its place. */
  readonly sequence?: true;
  /** The database alone says what it holds: a computed column, or what a view that can be changed makes of others. */
  readonly computed: boolean;
  readonly hasDefault: boolean;
  /** A LOB, of a type without a limit (`max`) on SQL Server, or `bytea`: one value may have megabytes. */
  readonly large?: true;
  /** Its default gives GUIDs each of which is greater than the last, so that an index grows at its end (SQL Server). */
  readonly sequentialGuids?: true;
  /** No column of the table at all, but what is computed of its row in its place. */
  readonly expression?: Expression;
}

/** SQL over the columns of one row, cut where it names them. */
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
  /** The engine does not vouch for its rows: it is disabled, or was while rows came (SQL Server). */
  readonly unenforced?: true;
}

/**
 * What a column holds, in terms that both engines share. `native` is the engine's own name of the type; on SQL Server with the length of
 * text and the digits of decimals, dates and times, as it is written in a cast.
 */
export type ColumnType = { readonly native: string } & TypeKind;

/** What a type is, whatever its engine calls it. */
export type TypeKind =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'integer'; readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean }
  | {
      readonly kind: 'decimal';
      readonly precision: number | null;
      readonly scale: number | null;
      /** Left out where precision and scale say all there is. */
      readonly range?: DecimalRange;
      /** The engine compares with values of the type alone: one between two of them has to be rounded before. */
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
      /** As of a decimal. */
      readonly stepped?: true;
    }
  | { readonly kind: 'time'; readonly fractionDigits?: FractionDigits }
  | {
      readonly kind: 'json';
      /** Text that is said to hold JSON. */
      readonly asText: boolean;
      /** Of an array of PostgreSQL's, which is read and written as a JSON array: the type of its items, whatever its dimensions. */
      readonly items?: ColumnType;
    }
  | { readonly kind: 'binary' }
  /** Bytes of a key or a reference: a value, whose canonical text is its digits in upper case. */
  | { readonly kind: 'hex' }
  /** Readable as text, and nothing else is known of it: it cannot be compared with a value of its own type. */
  | {
      readonly kind: 'opaque';
      /** Of an enum: what it may hold. */ readonly values?: readonly string[];
      readonly maxBytes?: MaxBytes;
      /** Of a time with an offset. */
      readonly fractionDigits?: FractionDigits;
    };

/** Digits that a column has for fractions of a second; left out where they are as many as its engine has. */
export type FractionDigits = number;

/** Bytes of UTF-8 beyond which the engine cuts a value without a word; left out where it does not. */
export type MaxBytes = number;

/** The least and the greatest value of a type, as plain digits. */
export interface DecimalRange {
  readonly lowest: string;
  readonly highest: string;
}

/**
 * Whether a value between two of the type's has to be rounded before the engine does it. Beside a decimal of 38 digits
 * there is no room for one more.
 */
export function isStepped(type: ColumnType): boolean {
  if (type.kind === 'timestamp') return type.coarse !== undefined || type.stepped === true;
  return type.kind === 'decimal' && (type.precision === 38 || type.stepped === true);
}

/** A stored procedure or a function of the database's. Names are exactly the database's. */
export interface Routine {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'procedure' | 'function';
  /** In the order of their declaration; of a function without those that are columns of what it returns. */
  readonly parameters: readonly RoutineParameter[];
  /** What a function returns; of a procedure `none`. */
  readonly returns: RoutineResult;
}

/** A parameter of a routine. */
export interface RoutineParameter {
  /** Without the `@` of T-SQL; `$1`, … where PostgreSQL's has none. */
  readonly name: string;
  readonly type: ColumnType;
  readonly direction: 'in' | 'out' | 'inout';
  /** Whether the database itself has a value for it; left out where it does not tell (SQL Server). */
  readonly optional?: boolean;
  /** It has no name of its own, and is given by its place. */
  readonly nameless?: true;
  /** The table type that it is of (SQL Server). */
  readonly table?: { readonly schema: string; readonly name: string };
}

/** What a function returns. */
export type RoutineResult =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly type: ColumnType }
  /** One row, or any number of them; its columns are null where only the answer tells them. */
  | { readonly kind: 'row' | 'rows'; readonly columns: readonly RoutineColumn[] | null };

/** A column of the rows that a function returns. */
export interface RoutineColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** SQL Server's older date-times: their first and last value in UTC, and the steps that their values come in. */
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
