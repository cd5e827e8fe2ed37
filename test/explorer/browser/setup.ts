import { existsSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { runGateway } from '../../integration/gateway-process.ts';
import build, { run } from '../../targets/build.ts';
import { exploredFolder } from './explored.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The browser that is installed; null where there is none. */
    readonly chromium: string | null;
    /** The address of the gateway that serves the sample, and what is beside it, to all tests; null where no browser asks it. */
    readonly explored: string | null;
  }
}

/** The shell first, which has nothing to draw windows with, and takes half the time. */
const CHROMIUM = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== '' && existsSync(path));

/** Compiles the program, builds the explorer, and serves the sample with it, before the tests that open it in a browser. */
export default async function setUp({ provide }: TestProject): Promise<() => Promise<void>> {
  build();
  run('node_modules/vite/bin/vite.js', 'build');
  provide('chromium', CHROMIUM ?? null);
  provide('explored', null);
  if (CHROMIUM === undefined) return () => Promise.resolve();
  const folder = await exploredFolder();
  const { child, serving, ended } = runGateway(['serve', '--config', folder.config]);
  provide('explored', await serving);
  return async () => {
    child.kill('SIGTERM');
    await ended;
    await folder.remove();
  };
}
