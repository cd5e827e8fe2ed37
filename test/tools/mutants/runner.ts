import { appendFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { startTests } from '@vitest/runner';
import { TestRunner, vi, type RunnerTestCase } from 'vitest';
import type { Job } from './lanes.ts';

/** The mutants that were reached since they were last taken; modules look for it when they are loaded. */
const shared = globalThis as { reachedMutants?: Set<number> | undefined };

/** Runs tests of a file until one fails, and tells Vitest nothing of it. */
class Quiet extends TestRunner {
  only: readonly string[] = [];
  reached = '';

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    this.note('');
    if (this.only.length > 0 && !this.only.includes(test.id)) test.mode = 'skip';
    await super.onBeforeRunTask(test);
  }

  override onAfterRunTask(test: RunnerTestCase): void {
    super.onAfterRunTask(test);
    this.note(test.concurrent === true ? '' : test.id);
    if (test.result?.state === 'fail') this.cancel('test-failure');
  }

  /** Notes what was reached since the last time, by a test, or outside of any. */
  note(test: string): void {
    if (shared.reachedMutants === undefined) return;
    for (const id of shared.reachedMutants) appendFileSync(this.reached, `${id} ${test}\n`);
    shared.reachedMutants.clear();
  }
}

/**
 * Takes jobs from the socket that MUTANTS_SOCKET names, as long as there are any, in place of the file that Vitest was told to run: a new process for each job
 * would take longer than most files of tests. Modules are loaded anew for each mutant, which may act when they are loaded, or leave something behind.
 */
export default class JobRunner extends TestRunner {
  #loaded: number | null = null;

  override async importFile(): Promise<void> {
    const socket = connect(process.env['MUTANTS_SOCKET'] ?? '');
    socket.write('ready\n');
    for await (const line of createInterface(socket)) {
      const isPassed = await this.#run(JSON.parse(line) as Job);
      socket.write(`${String(isPassed)}\n`);
    }
  }

  async #run({ mutant, test, only, reached }: Job): Promise<boolean> {
    if (mutant === null || mutant !== this.#loaded) vi.resetModules();
    this.#loaded = mutant;
    process.env['MUTANT'] = String(mutant);
    process.env['MUTANTS_REACHED'] = reached;
    shared.reachedMutants = reached === '' ? undefined : new Set();
    const quiet = new Quiet(this.config);
    quiet.only = only;
    quiet.reached = reached;
    for (const name of ['moduleRunner', '_otel']) {
      Reflect.set(quiet, name, Reflect.get(this, name));
    }
    let errors = 0;
    const count = (): void => void (errors += 1);
    process.on('uncaughtException', count).on('unhandledRejection', count);
    const files = await startTests([test], quiet);
    process.off('uncaughtException', count).off('unhandledRejection', count);
    quiet.note('');
    vi.resetConfig();
    vi.restoreAllMocks();
    vi.useRealTimers();
    return errors === 0 && files.every(({ result }) => result?.state !== 'fail');
  }
}
