import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { textCases } from './test/cases/transform.ts';

/**
 * Unit tests need no database and run on every supported Node.js; the others open one, most of them behind a gateway, some in a browser, too. The time limits are there for what
 * hangs, and long enough for a machine that has much else to do.
 */
export default defineConfig({
  plugins: [textCases],
  test: {
    // More than there are cores where those are few: much of what takes long here waits for a process, a server or a time limit.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // Files share their worker's modules: loading them for each takes as long as half of the tests. Nothing keeps state between calls, and hooks stand in the
    // files or in functions that they call, since a module that is shared runs once.
    isolate: false,
    // WebAssembly is compiled once: what the embedded databases of a few tests use much would be compiled again, which takes longer than it saves.
    execArgv: ['--liftoff-only'],
    // The default of a second is short for a busy machine.
    expect: { poll: { timeout: 20_000 } },
    reporters: ['default', './test/reporters/closing-line.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/conformance/**', 'test/integration/**', 'test/explorer/browser/**'],
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: [
            'test/integration/**/*.test.ts',
            'test/conformance/**/*.test.ts',
            'test/cases/*.cases',
          ],
          globalSetup: ['./test/targets/build.ts', './test/targets/containers.ts'],
          setupFiles: ['./test/targets/compiled.ts'],
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/explorer/browser/**/*.test.ts'],
          globalSetup: ['./test/explorer/browser/setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
