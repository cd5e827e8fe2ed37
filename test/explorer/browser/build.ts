import build, { run } from '../../targets/build.ts';

/** Compiles the program and builds the explorer, before the tests that open it in a browser. */
export default function buildAll(): void {
  build();
  run('node_modules/vite/bin/vite.js', 'build');
}
