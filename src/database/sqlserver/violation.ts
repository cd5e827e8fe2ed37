import { before } from '../../base/text.ts';
import { quotedIn, type ViolatedRule, type Violation } from '../violation.ts';
import { messagesOf, type ServerMessage } from './new-connection.ts';

/** What the parser of XML refuses. */
const XML_REFUSED = Array.from({ length: 9465 - 9400 + 1 }, (_, index) => 9400 + index);

/**
 * What SQL Server's errors say of a refused change, by their numbers. Their texts come in the language of the login.
 * https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
 */
const numbersOf: Readonly<
  Record<Exclude<ViolatedRule, 'unencodable' | 'raised' | 'other'>, readonly number[]>
> = {
  unique: [2601, 2627],
  // A foreign key or a check; WITH CHECK OPTION of a view.
  constraint: [547, 550],
  notNull: [515],
  // https://learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-8152-database-engine-error;
  // of a row as a whole, or of an index.
  tooLong: [511, 1946, 2628, 8152],
  outOfRange: [220, 232, 244, 246, 248, 517, 1007, 8115],
  // Text that is none of a number, money, a date-time, a GUID, XML or JSON, nor of a type of .NET's, as a geometry is (6522);
  // XML that its schema does not allow (from 6900 on).
  badValue: [
    ...[235, 241, 242, 245, 293, 295, 296, 8114, 8169, 13609],
    6522,
    ...range(6900, 6999),
    ...XML_REFUSED,
  ],
  // Identity, computed, rowversion and GENERATED ALWAYS columns.
  generated: [271, 272, 273, 339, 544, 8102, 13536, 13537],
  // Views; a column set beside its columns (360); what OUTPUT may not name (4186); a system-versioned table's history.
  notUpdatable: [
    ...[414, 415, 4403, 4405, 4406, 4415, 4416, 4417, 4418, 4421, 4422, 4423, 4427, 4431, 4436],
    360,
    4186,
    ...range(13559, 13561),
  ],
  // Columns, tables, procedures and functions that are not there; types that do not go together, which did when the gateway was started.
  outdated: [206, 207, 208, 257, 402, 2812, 4121],
  // Rights on an object, a column, a statement, the server, the database; a row-level security policy.
  notAllowed: [229, 230, 262, 297, 300, 916, 33_504],
};

const rules: ReadonlyMap<number, ViolatedRule> = new Map(
  Object.entries(numbersOf).flatMap(([rule, numbers]) =>
    numbers.map((number) => [number, rule as ViolatedRule] as const),
  ),
);

/**
 * From this number on, messages are the application's, by RAISERROR or THROW.
 * https://learn.microsoft.com/sql/t-sql/language-elements/raiserror-transact-sql
 */
const FIRST_RAISED = 50_000;

/** A row-level security policy stands against a row: the only lack of a right that depends on what is written. */
const ROW_POLICY = 33_504;

/**
 * What is said of a statement whatever rows it is given: it cannot be understood, names what is not there, or what may not be
 * written.
 */
const ofStatements: ReadonlySet<number> = new Set([
  ...[102, 156],
  ...numbersOf.outdated,
  ...numbersOf.generated,
  ...numbersOf.notUpdatable,
  ...numbersOf.notAllowed.filter((number) => number !== ROW_POLICY),
]);

/** A trigger rolled back, or caught an error, and said nothing. */
const ENDED_IN_TRIGGER: readonly number[] = [3609, 3616];

/** What Babelfish says instead of a number where it has none for an error of PostgreSQL's: nobody raised that. */
const WITHOUT_NUMBER = 33_557_097;

/** Whether the application raised it. */
export function isRaised({ number }: ServerMessage): boolean {
  return number >= FIRST_RAISED && number !== WITHOUT_NUMBER;
}

/**
 * Takes apart what the server said. Of several errors, what the application raised goes before the others: "the transaction
 * ended in the trigger" (3609) and the like follow it.
 */
export function sqlServerViolation(error: unknown): Violation {
  const errors = messagesOf(error);
  const raised = errors.find(isRaised);
  if (raised !== undefined) return { rule: 'raised', names: [], text: raised.message };
  const known = errors.find(({ number }) => rules.has(number)) ?? errors[0];
  if (known === undefined) return { rule: 'other', names: [] };
  if (ENDED_IN_TRIGGER.includes(known.number)) return { rule: 'raised', names: [] };
  const found = rules.get(known.number) ?? 'other';
  // A trigger's own statements were never known.
  const rule = found === 'outdated' && !isOfStatement(known) ? 'other' : found;
  return {
    rule,
    names: namesIn(known, rule),
    ...(isOfStatement(known) ? { ofStatement: true } : {}),
  };
}

/** What a trigger meets it may meet for some rows only; the gateway's statements are the text that sp_executesql runs. */
function isOfStatement({ number, procName }: ServerMessage): boolean {
  return ofStatements.has(number) && (procName === '' || procName === 'sp_executesql');
}

/** All numbers from one to another. */
function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Names stand in quotes, but so do values; those that a message is known to end with are left out. */
function namesIn({ number, message }: ServerMessage, rule: ViolatedRule): readonly string[] {
  if (rule === 'badValue' || rule === 'outOfRange') return [];
  // … 'UQ_EMP'. … 'dbo.EMP'. The duplicate key value is (O'Neill).
  if (rule === 'unique') return quotedIn(before(message, '('));
  // … in table 'dbo.EMP', column 'NM'. Truncated value: 'O'Neill'.
  if (number === 2628) return quotedIn(message).slice(0, 2);
  return quotedIn(message);
}
