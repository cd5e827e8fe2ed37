import { spawnSync } from 'node:child_process';
import build from '../../targets/build.ts';

/** Compiles the program and builds the explorer, before the tests that open it in a browser. */
export default function buildAll(): void {
  build();
  const vite = ['node_modules/vite/bin/vite.js', 'build'];
  const { status, stderr } = spawnSync(process.execPath, vite, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the explorer does not compile:\n${stderr}`);
}
