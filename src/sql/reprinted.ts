import type { ParameterUse } from './ir/ir.ts';
import type { Beyond, Statement } from './dialect.ts';

/** No value is out of range. */
export const WITHIN: Beyond = new Map();

/**
 * A statement that can be printed again for values that are out of range, where it compares a value at all.
 * @param print prints it; null where the dialect has nothing to say
 */
export function reprintable(print: (beyond: Beyond) => Statement): Statement;
export function reprintable(print: (beyond: Beyond) => Statement | null): Statement | null;
export function reprintable(print: (beyond: Beyond) => Statement | null): Statement | null {
  const statement = print(WITHIN);
  if (statement === null || !comparesValue(statement)) return statement;
  return { reprinted: (beyond) => print(beyond) ?? statement, ...statement };
}

function comparesValue({ parameters }: Statement): boolean {
  return parameters.some((parameter) => {
    const { kind } = parameter;
    return kind === 'listItem' || (kind === 'parameter' && COMPARED.has(parameter.use));
  });
}

const COMPARED: ReadonlySet<ParameterUse> = new Set(['value', 'list']);
