import { describe } from 'vitest';

/** Declares tests that need what this machine may lack. @param missing what it lacks, for which they are skipped */
export function describeWith(missing: string | null, title: string, tests: () => void): void {
  describe.skipIf(missing !== null)(missing === null ? title : `${title} (${missing})`, tests);
}
