import type { StatementParameter } from './dialect.ts';

/** Collects the parameters of one statement while its text is put together; the same parameter is bound once. */
export class ParameterList {
  readonly items: StatementParameter[] = [];

  /** @returns the 1-based number of the parameter */
  add(parameter: StatementParameter): number {
    const known = this.items.indexOf(parameter);
    if (known >= 0) return known + 1;
    this.items.push(parameter);
    return this.items.length;
  }
}
