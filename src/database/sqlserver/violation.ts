import { before } from '../../base/text.ts';
import { quotedIn, type ViolatedRule, type Violation } from '../violation.ts';
import { messagesOf, type ServerMessage } from './new-connection.ts';

/**
 * The rules of SQL Server's errors, by number, as texts are in the login's language
 * (https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors).
 */
const numbersOf: Readonly<
  Record<
    Exclude<ViolatedRule, 'notComputable' | 'unencodable' | 'raised' | 'failed' | 'other'>,
    readonly number[]
  >
> = {
  unique: [2601, 2627],
  // A foreign key or a check; WITH CHECK OPTION of a view.
  constraint: [547, 550],
  notNull: [515],
  // A value (https://learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-8152-database-engine-error), a row or an index.
  tooLong: [511, 1946, 2628, 8152],
  outOfRange: [220, 232, 244, 246, 248, 517, 535, 1007, 8115],
  // Text that is not a number, money, date-time, GUID, XML (9400 to 9465; from 6900 on against its schema), JSON, or .NET type such as geometry (6522);
  // parts that are no date (289), lengths below 0 (536, 537), what has no logarithm or root (3623), a division by zero (8134).
  badValue: [
    ...[235, 241, 242, 245, 289, 293, 295, 296, 536, 537, 3623, 6522, 8114, 8134, 8169, 13609],
    ...range(6900, 6999),
    ...range(9400, 9465),
  ],
  // A sequence; of an identity it is an overflow (8115).
  exhausted: [11_728],
  // Identity, computed, rowversion and GENERATED ALWAYS columns.
  generated: [271, 272, 273, 339, 544, 8102, 13536, 13537],
  // Views; a column set beside its columns (360); a column that OUTPUT may not name (4186); the history of a system-versioned table.
  notUpdatable: [
    ...[414, 415, 4403, 4405, 4406, 4415, 4416, 4417, 4418, 4421, 4422, 4423, 4427, 4431, 4436],
    360,
    4186,
    ...range(13559, 13561),
  ],
  // Columns, tables, procedures and functions that have gone; types that no longer match.
  outdated: [206, 207, 208, 257, 402, 2812, 4121],
  // Rights on an object, a column, a statement, the server, the database; a row-level security policy.
  notAllowed: [229, 230, 262, 297, 300, 916, 33_504],
};

const rules: ReadonlyMap<number, ViolatedRule> = new Map(
  Object.entries(numbersOf).flatMap(([rule, numbers]) =>
    numbers.map((number) => [number, rule as ViolatedRule] as const),
  ),
);

/** The first number of an application's own messages (https://learn.microsoft.com/sql/t-sql/language-elements/raiserror-transact-sql). */
const FIRST_RAISED = 50_000;

/** A row-level security policy refuses a row: the only missing right that depends on the row. */
const ROW_POLICY = 33_504;

/** Errors that do not depend on the rows. */
const ofStatements: ReadonlySet<number> = new Set([
  ...[102, 156],
  ...numbersOf.outdated,
  ...numbersOf.generated,
  ...numbersOf.notUpdatable,
  ...numbersOf.notAllowed.filter((number) => number !== ROW_POLICY),
]);

/** A trigger rolled back, or caught an error, without a message. */
const ENDED_IN_TRIGGER: readonly number[] = [3609, 3616];

/** Babelfish's number for errors of PostgreSQL that have none: it is not the application's. */
const WITHOUT_NUMBER = 33_557_097;

export function isRaised({ number }: ServerMessage): boolean {
  return number >= FIRST_RAISED && number !== WITHOUT_NUMBER;
}

/** Reads the violation from the server's errors. An error of the application goes first: others, such as 3609, follow from it. */
export function sqlServerViolation(error: unknown): Violation {
  const errors = messagesOf(error);
  const raised = errors.find(isRaised);
  if (raised !== undefined) return { rule: 'raised', names: [], text: raised.message };
  const known = errors.find(({ number }) => rules.has(number)) ?? errors[0];
  if (known === undefined) return { rule: 'other', names: [] };
  if (ENDED_IN_TRIGGER.includes(known.number)) return { rule: 'raised', names: [] };
  const found = isIdentityOverflow(known) ? 'exhausted' : (rules.get(known.number) ?? 'other');
  // A trigger's own statements were never known.
  const rule = found === 'outdated' && !isOfStatement(known) ? 'other' : found;
  return {
    rule,
    names: namesIn(known, rule),
    ...(isOfStatement(known) ? { ofStatement: true } : {}),
  };
}

/** An error in a trigger may depend on the rows; the gateway's own statements are run by sp_executesql. */
function isOfStatement({ number, procName }: ServerMessage): boolean {
  return ofStatements.has(number) && (procName === '' || procName === 'sp_executesql');
}

/** Arithmetic overflow error converting IDENTITY to data type int. */
function isIdentityOverflow({ number, message }: ServerMessage): boolean {
  return number === 8115 && /\bIDENTITY\b/.test(message);
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** The names in the quotations of a message, without the values that some messages end with. */
function namesIn({ number, message }: ServerMessage, rule: ViolatedRule): readonly string[] {
  if (rule === 'badValue' || rule === 'outOfRange') return [];
  // … 'UQ_EMP'. … 'dbo.EMP'. The duplicate key value is (O'Neill).
  if (rule === 'unique') return quotedIn(before(message, '('));
  // … in table 'dbo.EMP', column 'NM'. Truncated value: 'O'Neill'.
  if (number === 2628) return quotedIn(message).slice(0, 2);
  return quotedIn(message);
}
