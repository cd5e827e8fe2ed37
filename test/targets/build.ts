import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { EMPTY_DATABASE } from '../../src/database/pglite/empty-database.js';

/** Changed when all this was built last. */
const STAMP = 'node_modules/.cache/entitygate-built';

/** What the program is made of. */
const SOURCES = ['src', 'tsconfig.json', 'tsconfig.build.json', 'vendor.js', 'package-lock.json'];

/** Each project has modules of its own, in one process. */
const shared = globalThis as { isProgramBuilt?: boolean };

/**
 * Compiles the program once, and only where something has changed, before all tests that run it in processes of their own: what they run is what is shipped, and starts
 * in half the time that it takes to compile on the way.
 */
export default function build(): void {
  if (shared.isProgramBuilt === true) return;
  shared.isProgramBuilt = true;
  const began = new Date();
  if ([STAMP, 'dist/main.js'].every(existsSync) && lastChange(SOURCES) < statSync(STAMP).mtimeMs)
    return;
  run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
  // As `npm run build` does: entitygate types hands the source out, and each embedded database starts from an empty one.
  // SQL Server's drivers are those of the package.
  cpSync('src/client', 'dist/client', { recursive: true });
  if (!existsSync(EMPTY_DATABASE)) run('dist/database/pglite/initdb.js');
  run('vendor.js');
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, '');
  utimesSync(STAMP, began, began);
}

/** When the last of files and folders was changed. */
function lastChange(paths: readonly string[]): number {
  const files = paths.flatMap((path) => {
    if (!statSync(path).isDirectory()) return [path];
    const entries = readdirSync(path, { recursive: true, encoding: 'utf8' });
    // A folder changes when a file goes.
    return [path, ...entries.map((name) => join(path, name))];
  });
  return Math.max(...files.map((file) => statSync(file).mtimeMs));
}

/** Runs a program of Node.js. @throws what it said where it fails */
export function run(...program: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program.join(' ')} failed:\n${stdout}${stderr}`);
}
