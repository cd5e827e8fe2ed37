import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';

/**
 * Compiles the program once, before all tests that run it in processes of their own: what they run is what is shipped, and starts
 * in half the time that it takes to compile on the way.
 */
export default function build(): void {
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'];
  const { status, stdout } = spawnSync(process.execPath, tsc, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the program does not compile:\n${stdout}`);
  // As `npm run build` does: entitygate types hands the source out.
  cpSync('src/client', 'dist/client', { recursive: true });
}
