import { type ErrorName, ProtocolError } from '../base/errors.ts';
import type { StatementParameter } from '../sql/ir/statement.ts';

/** The characters of an engine's message that are searched. */
const MOST = 4000;

/** A quotation, in the quotes of any language; an apostrophe within a word is none. */
// eslint-disable-next-line regexp/no-super-linear-move -- of what is as short as that
const QUOTED = /(?<![\p{L}\p{N}])'[^']+'(?![\p{L}\p{N}])|"[^"]+"|«[^»]+»|[“„][^“”]+[“”]/gu;

/** The quotations in an engine's message, each once. */
export function quotedIn(message: string): readonly string[] {
  const quotations = message.slice(0, MOST).matchAll(QUOTED);
  return [...new Set(Array.from(quotations, ([whole]) => whole.slice(1, -1).trim()))];
}

/** The rules that can refuse a change, for all engines. */
export type ViolatedRule =
  /** Another row has the value. */
  | 'unique'
  /** A foreign key, of this table or to it, or a check. */
  | 'constraint'
  | 'notNull'
  | 'tooLong'
  | 'outOfRange'
  /** A value that the engine cannot read as the column's type. */
  | 'badValue'
  /** A calculated attribute fails for a row. */
  | 'notComputable'
  /** Text with characters that the database's encoding lacks. */
  | 'unencodable'
  /** A column that the database fills in itself. */
  | 'generated'
  /** A view that cannot be changed. */
  | 'notUpdatable'
  /** The gateway's user lacks the right. */
  | 'notAllowed'
  /** A table or column has gone, or has another type. */
  | 'outdated'
  /** The identity or sequence that numbers a column has no further number. */
  | 'exhausted'
  /** A trigger or procedure of the application refused. */
  | 'raised'
  /** An error that the engine has no state for. */
  | 'failed'
  | 'other';

/** Why the engine refused a change. */
export interface Violation {
  readonly rule: ViolatedRule;
  /** The constraints, indexes, tables and columns in the engine's message, as it writes them. */
  readonly names: readonly string[];
  /** The table of the rule, if the engine says it. */
  readonly table?: { readonly schema: string; readonly name: string };
  /** The engine's words about a key, with values: not for clients. */
  readonly detail?: string;
  /** The number of the statement's parameter whose value its type does not read, from 1. */
  readonly parameter?: number;
  /** The message that a trigger raised. */
  readonly text?: string;
  /** It refused the statement whatever its rows, such as for a missing right. */
  readonly ofStatement?: boolean;
}

/** A change that a rule of the database refuses, or a value that it cannot read; to be explained in the model's words. */
export class DatabaseRefusal extends ProtocolError {
  readonly violation: Violation;
  /** The refused statement's parameters, where it is known. */
  readonly parameters: readonly StatementParameter[];

  constructor(
    violation: Violation,
    message: string,
    cause: unknown,
    errorName: ErrorName = 'refusedByDatabase',
    parameters: readonly StatementParameter[] = [],
  ) {
    super(errorName, message, undefined, cause);
    this.name = 'DatabaseRefusal';
    this.violation = violation;
    this.parameters = parameters;
  }
}
