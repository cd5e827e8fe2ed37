import type { ColumnType } from '../schema/types.ts';
import type { Statement, StatementParameter } from './dialect.ts';
import { plainStatement } from './statement.ts';

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
