import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** How many files are listed of those that took longest. */
const SLOWEST = 20;

/** Ends a run with the files that took longest, what was skipped, by reasons, and one plain line: `N passed, N failed, N skipped`. */
export default class ClosingLine implements Reporter {
  /** Whether the user named the tests to run: nothing has to be said of the others. */
  #isChosen = false;

  onInit({ config }: Vitest): void {
    this.#isChosen = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    const reasons = new Map<string, number>();
    for (const module of modules) {
      if (module.state() === 'failed' && [...module.children.allTests()].length === 0) {
        count.failed += 1;
      }
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'pending') continue;
        count[state] += 1;
        if (state !== 'skipped' || this.#isChosen) continue;
        const reason = reasonOf(test);
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }
    }
    if (modules.length > SLOWEST) for (const line of slowest(modules)) console.log(line);
    for (const [reason, tests] of reasons) console.log(`skipped ${tests}: ${reason}`);
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  }
}

/** The files that took longest, with their seconds. */
function slowest(modules: readonly TestModule[]): string[] {
  return modules
    .map((module) => ({ module, milliseconds: module.diagnostic().duration }))
    .sort((a, b) => b.milliseconds - a.milliseconds)
    .slice(0, SLOWEST)
    .map(
      ({ module, milliseconds }) =>
        `${Math.round(milliseconds / 1000)} s ${module.relativeModuleId}`,
    );
}

/** Why a test was skipped: what it says itself; what stands in brackets behind the title of what it is part of; or its title. */
function reasonOf(test: TestCase): string {
  const result = test.result();
  if (result.state === 'skipped' && result.note !== undefined) return result.note;
  for (let { parent } = test; parent.type === 'suite'; { parent } = parent) {
    const [, reason] = /\(([^()]*)\)$/.exec(parent.name) ?? [];
    if (reason !== undefined) return reason;
  }
  return test.name;
}
