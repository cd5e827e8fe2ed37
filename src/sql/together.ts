import type { Statement, StatementParameter } from './dialect.ts';

/** Whether a parameter's value comes with each request; all others are the same for all who ask alike. */
export function isOfRequest(parameter: StatementParameter): boolean {
  const { kind } = parameter;
  return kind === 'rowField' || (kind === 'parameter' && parameter.source.from === 'request');
}

/** What is printed when it is first asked for. */
export function lazily(print: () => Statement | null): () => Statement | null {
  let printed: Statement | null | undefined;
  return () => {
    if (printed === undefined) printed = print();
    return printed;
  };
}
