import type { ColumnType, Routine, RoutineColumn, RoutineParameter } from '../../schema/types.ts';

/** On what a function is called, in the protocol's words (§2.4; DECISIONS, "Functions"). */
export type AppliesTo = 'dataStore' | 'dataClass' | 'entityCollection' | 'entity';

/** A routine of the database under its API name. */
export interface ApiFunction {
  readonly name: string;
  /** Its name in roles and messages: `Employee.raise`; the name alone for one of the datastore. */
  readonly fullName: string;
  readonly description: string | null;
  readonly appliesTo: AppliesTo;
  readonly routine: Routine;
  /** The routine's parameters, except those that are left to their defaults. */
  readonly inputs: readonly FunctionInput[];
  /** The parameters that clients give, in their order. */
  readonly parameters: readonly ClientParameter[];
  readonly returns: FunctionReturn;
  readonly allowedOnHTTPGET: boolean;
  /** Whether it runs in a transaction of the gateway. */
  readonly inTransaction: boolean;
}

/** A parameter that clients give. */
export interface ClientParameter {
  /** The routine's own name. */
  readonly name: string;
  /** Its type for clients: text that is given JSON is of kind `json`. */
  readonly type: ColumnType;
  readonly optional: boolean;
}

/** A parameter of a routine, the type in which it is bound, and its value. */
export interface FunctionInput {
  readonly parameter: RoutineParameter;
  readonly type: ColumnType;
  readonly from:
    /** A value of the client's, by its index. */
    | { readonly kind: 'client'; readonly index: number }
    /** A part of the entity's key, by its index. */
    | { readonly kind: 'key'; readonly part: number }
    /** The keys of all entities of the collection, in one of three forms. */
    | { readonly kind: 'keys'; readonly form: 'array' | 'json' | 'table' };
}

/** The part of a routine's answer that clients get. */
export type FunctionReturn =
  | { readonly kind: 'nothing' }
  /** The result of a scalar function, or the first column of the first row. */
  | { readonly kind: 'value' }
  /** The first row as an object, or all rows as objects. */
  | { readonly kind: 'row' | 'rows' }
  /** Everything that a procedure answers: its return value, output parameters and result sets. */
  | { readonly kind: 'all' }
  | { readonly kind: 'output'; readonly parameter: string }
  /** Entities by their keys, which are in these columns of the rows, in key order. */
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

/** The columns of the rows that a function returns; null where only the answer tells them, and where there are no rows. */
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
