import { expect } from 'vitest';
import type { ReloadReport } from '../../src/server/reload/changes.ts';

export const nothing = { added: [], removed: [], changed: [] };

/** What a reload answers that has changed no more than is given. */
export function reloadReport(given: Partial<ReloadReport>): object {
  const report: ReloadReport = {
    dataclasses: nothing,
    functions: nothing,
    roles: nothing,
    users: nothing,
    apiKeys: nothing,
    reports: nothing,
    milliseconds: expect.any(Number) as number,
    needsRestart: [],
    warnings: [],
    ...given,
  };
  return { result: true, ...report };
}
