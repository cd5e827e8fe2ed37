import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { startTests } from '@vitest/runner';
import { TestRunner, vi, type RunnerTestCase } from 'vitest';
import type { Job } from './lanes.ts';

/** Runs a file until a test fails, and tells Vitest nothing of it. */
class Quiet extends TestRunner {
  override onAfterRunTask(test: RunnerTestCase): void {
    super.onAfterRunTask(test);
    if (test.result?.state === 'fail') this.cancel('test-failure');
  }
}

/**
 * Takes jobs from the socket that MUTANTS_SOCKET names, as long as there are any, in place of the file that Vitest was told to run: a new process for each job
 * would take longer than most files of tests. Modules are loaded anew for each mutant, which may act when they are loaded, or leave something behind.
 */
export default class JobRunner extends TestRunner {
  #mutant: number | null = null;

  override async importFile(): Promise<void> {
    const socket = connect(process.env['MUTANTS_SOCKET'] ?? '');
    socket.write('ready\n');
    for await (const line of createInterface(socket)) {
      const isPassed = await this.#run(JSON.parse(line) as Job);
      socket.write(`${String(isPassed)}\n`);
    }
  }

  async #run({ mutant, test, reached }: Job): Promise<boolean> {
    if (mutant === null || mutant !== this.#mutant) vi.resetModules();
    process.env['MUTANT'] = String(mutant);
    process.env['MUTANTS_REACHED'] = reached;
    const quiet = Object.assign(new Quiet(this.config), {
      moduleRunner: Reflect.get(this, 'moduleRunner'),
      _otel: Reflect.get(this, '_otel'),
    });
    let errors = 0;
    const count = (): void => void (errors += 1);
    process.on('uncaughtException', count).on('unhandledRejection', count);
    const files = await startTests([test], quiet);
    process.off('uncaughtException', count).off('unhandledRejection', count);
    vi.resetConfig();
    vi.restoreAllMocks();
    vi.useRealTimers();
    const isPassed = errors === 0 && files.every(({ result }) => result?.state !== 'fail');
    this.#mutant = isPassed ? mutant : null;
    return isPassed;
  }
}
