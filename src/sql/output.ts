import type { Reader, StatementParameter } from './ir/statement.ts';

/** A result column: its SQL, and how its values are read. */
export interface PrintedOutput {
  readonly sql: string;
  readonly reader: Reader;
}

/** Outputs as the list of a SELECT. */
export function selected(outputs: readonly PrintedOutput[]): string {
  return outputs.map(({ sql }) => sql).join(', ');
}

/** Outputs as the rest of a list that something stands before. */
export function alsoSelected(outputs: readonly PrintedOutput[]): string {
  return outputs.map(({ sql }) => `, ${sql}`).join('');
}

/** Whether equal parameters of this kind are given the same value: nothing but what they say decides it. */
export function isOneWhereEqual(parameter: StatementParameter): boolean {
  const { kind } = parameter;
  if (kind === 'parameter') return parameter.source.from !== 'request';
  if (kind === 'listItem') return parameter.list.source.from !== 'request';
  return kind === 'constant' || kind === 'offset' || kind === 'rowField';
}
