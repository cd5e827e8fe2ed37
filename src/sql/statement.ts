import { createHash } from 'node:crypto';
import type { OutOfRange, Statement, StatementParameter } from './dialect.ts';
import type { ParameterUse } from './ir/ir.ts';
import type { ColumnType } from '../schema/types.ts';

/** The type of a lock's name. */
export const LOCK_NAME: ColumnType = {
  kind: 'text',
  maxLength: 255,
  padded: false,
  native: 'nvarchar(255)',
};

/** One name as a parameter. */
const ONE: StatementParameter = { kind: 'rowField', index: 0, type: LOCK_NAME };

/** Names as a parameter, as JSON rows `[ordinal, name]`. */
const MANY: StatementParameter = { kind: 'rows', types: [LOCK_NAME] };

/** A statement about one name, or about many. */
export function lockStatement(text: string, names: 'one' | 'many'): Statement {
  return { ...plainStatement(text), parameters: [names === 'one' ? ONE : MANY] };
}

/** No value is out of range. */
export const ALL_IN_RANGE: OutOfRange = new Map();

/**
 * A statement that can be printed again for values that are out of range, where it compares a value at all.
 * @param print prints it; null where the dialect has nothing to say
 */
export function reprintable(print: (outOfRange: OutOfRange) => Statement): Statement;
export function reprintable(print: (outOfRange: OutOfRange) => Statement | null): Statement | null;
export function reprintable(print: (outOfRange: OutOfRange) => Statement | null): Statement | null {
  const statement = print(ALL_IN_RANGE);
  if (statement === null || !comparesValue(statement)) return statement;
  return { reprinted: (outOfRange) => print(outOfRange) ?? statement, ...statement };
}

function comparesValue({ parameters }: Statement): boolean {
  return parameters.some((parameter) => {
    const { kind } = parameter;
    return kind === 'listItem' || (kind === 'parameter' && COMPARED.has(parameter.use));
  });
}

const COMPARED: ReadonlySet<ParameterUse> = new Set(['value', 'list']);

/** How many characters of a hash name a statement: of a million texts, two share a name with a chance of 1 to 10^10. */
const NAME_LENGTH = 12;

/** A name for a statement: equal for equal texts, and short enough for a label. */
export function statementName(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, NAME_LENGTH);
}

/** A statement that never had values: one of the gateway's own. */
export function plainStatement(text: string, effect: Statement['effect'] = 'read'): Statement {
  return { name: statementName(text), text, effect, parameters: [], readers: [] };
}

/** Whether a parameter's value comes with each request; all others are the same for all who ask alike. */
export function isOfRequest(parameter: StatementParameter): boolean {
  const { kind } = parameter;
  return kind === 'rowField' || (kind === 'parameter' && parameter.source.from === 'request');
}
