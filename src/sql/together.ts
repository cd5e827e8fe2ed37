import type { StatementParameter } from './dialect.ts';

/** Whether a parameter's value comes with each request; all others are the same for all who ask alike. */
export function isOfRequest(parameter: StatementParameter): boolean {
  return parameter.kind === 'parameter' && parameter.source.from === 'request';
}
