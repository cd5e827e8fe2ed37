import type { ColumnType, Routine, RoutineColumn, RoutineParameter } from '../../schema/types.ts';

/** What a function is called on, in the protocol's words (§2.4; DECISIONS, "Functions"). */
export type AppliesTo = 'dataStore' | 'dataClass' | 'entityCollection' | 'entity';

/** A routine of the database under the name by which clients call it. */
export interface ApiFunction {
  readonly name: string;
  /** How roles and messages name it: `Employee.raise`; the name alone for one of the datastore. */
  readonly fullName: string;
  readonly appliesTo: AppliesTo;
  readonly routine: Routine;
  /** What the parameters of the routine are given, those that are left to the routine aside. */
  readonly inputs: readonly FunctionInput[];
  /** What clients give, in its order. */
  readonly parameters: readonly ClientParameter[];
  readonly returns: FunctionReturn;
  readonly allowedOnHTTPGET: boolean;
  /** Whether it runs in a transaction of the gateway's. */
  readonly inTransaction: boolean;
}

/** A parameter that clients give. */
export interface ClientParameter {
  /** The routine's own name of it. */
  readonly name: string;
  /** Its type as clients know it: text that is given JSON is of kind `json`. */
  readonly type: ColumnType;
  readonly optional: boolean;
}

/** What a parameter of a routine is given, and in which type that is bound. */
export interface FunctionInput {
  readonly parameter: RoutineParameter;
  readonly type: ColumnType;
  readonly from:
    /** A value of the client's, by its place. */
    | { readonly kind: 'client'; readonly index: number }
    /** A part of the entity's key, by its place. */
    | { readonly kind: 'key'; readonly part: number }
    /** The keys of all entities of the collection, in one of the forms that parameters have for them. */
    | { readonly kind: 'keys'; readonly form: 'array' | 'json' | 'table' };
}

/** What of a routine's answer clients get. */
export type FunctionReturn =
  | { readonly kind: 'nothing' }
  /** What a scalar function returns, or the first column of the first row. */
  | { readonly kind: 'value' }
  /** The first row as an object, or all rows as objects. */
  | { readonly kind: 'row' | 'rows' }
  /** Everything that a procedure answers: what it returns, its parameters that go out, its result sets. */
  | { readonly kind: 'all' }
  | { readonly kind: 'output'; readonly parameter: string }
  /** Entities by their keys, which stand in columns of the rows, in key order. */
  | {
      readonly kind: 'entities';
      readonly dataclass: string;
      readonly one: boolean;
      readonly key: readonly string[];
    };

/** A group of functions (§2.4). */
export interface Singleton {
  readonly name: string;
  readonly functions: ReadonlyMap<string, ApiFunction>;
}

/** The columns of the rows that a function returns; null where only the answer tells them, and for what returns no rows. */
export function columnsOf({ returns }: Routine): readonly RoutineColumn[] | null {
  switch (returns.kind) {
    case 'none':
      return null;
    case 'value':
      return [{ name: 'value', type: returns.type }];
    case 'row':
    case 'rows':
      return returns.columns;
  }
}
