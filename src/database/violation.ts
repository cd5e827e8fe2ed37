import { type ErrorName, ProtocolError } from '../base/errors.ts';

/** How long an engine's message may be: values may stand in it. */
const MOST = 4000;

/** In whatever quotes a language has; an apostrophe within a word is none. */
// eslint-disable-next-line regexp/no-super-linear-move -- of what is as short as that
const QUOTED = /(?<![\p{L}\p{N}])'[^']+'(?![\p{L}\p{N}])|"[^"]+"|«[^»]+»|[“„][^“”]+[“”]/gu;

/** What stands in quotes in an engine's message, whatever its language; each once. */
export function quotedIn(message: string): readonly string[] {
  const found = Array.from(message.slice(0, MOST).matchAll(QUOTED), ([whole]) =>
    whole.slice(1, -1).trim(),
  );
  return [...new Set(found)];
}

/** The rules of a database that can stand against a change, in terms that the engines share. */
export type ViolatedRule =
  /** A value that another row has already. */
  | 'unique'
  /** A foreign key, of this table or of one that refers to it, or a check: the engine says only which constraint. */
  | 'constraint'
  | 'notNull'
  | 'tooLong'
  | 'outOfRange'
  /** A value that the engine cannot read as the column's type. */
  | 'badValue'
  /** Text with characters that the database's encoding lacks. */
  | 'unencodable'
  /** A column that the database fills in itself. */
  | 'generated'
  /** A view that cannot be changed. */
  | 'notUpdatable'
  /** The gateway's user lacks the right. */
  | 'notAllowed'
  /** What the statement names is not there any more, or is of another type. */
  | 'outdated'
  /** A trigger or procedure of the application refused, with a text of its own. */
  | 'raised'
  /** Any other refusal. */
  | 'other';

/** What the engine said of a refused change, taken apart. */
export interface Violation {
  readonly rule: ViolatedRule;
  /** Names that the engine's message holds, as it writes them: constraints, indexes, tables, columns. */
  readonly names: readonly string[];
  /** The table that the rule is one of, where the engine says it. */
  readonly table?: { readonly schema: string; readonly name: string };
  /** What else the engine says of a key, values included: nobody is told. */
  readonly detail?: string;
  /** What a trigger raised, for people to read. */
  readonly text?: string;
  /** It refused the statement, whatever rows it was given: a right that is lacking, a column that nobody may write. */
  readonly ofStatement?: boolean;
}

/** A change that a rule of the database stands against. Who knows the model says it in the model's words. */
export class DatabaseRefusal extends ProtocolError {
  readonly violation: Violation;

  /** @param errorName what clients are told where nobody says it in the model's words */
  constructor(
    violation: Violation,
    message: string,
    cause: unknown,
    errorName: ErrorName = 'refusedByDatabase',
  ) {
    super(errorName, message, undefined, cause);
    this.name = 'DatabaseRefusal';
    this.violation = violation;
  }
}
