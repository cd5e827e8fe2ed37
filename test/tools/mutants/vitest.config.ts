import { defineConfig } from 'vitest/config';
import config from '../../../vitest.config.ts';
import { textCases } from '../../cases/transform.ts';

/** One process that takes jobs from {@link JobRunner}, on the embedded engine, with what was compiled before. */
export default defineConfig({
  plugins: [textCases],
  test: {
    ...(config.test?.expect === undefined ? {} : { expect: config.test.expect }),
    isolate: false,
    include: ['test/tools/mutants/runner.ts'],
    runner: 'test/tools/mutants/runner.ts',
    setupFiles: ['test/targets/compiled.ts'],
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    silent: true,
    reporters: [],
    experimental: { fsModuleCache: true, fsModuleCachePath: '.data/modules' },
  },
});
