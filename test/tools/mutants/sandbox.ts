import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { addTo } from '../../../src/base/collections.ts';
import { run } from '../../targets/build.ts';
import { instrumented, mutantsOf, type Numbered } from './mutate.ts';
import type { SourceFile } from './sample.ts';

const SWITCH = 'src/mutated.js';

/** The runner of the tests asks which mutants its own process reaches; others say it in the file that MUTANTS_REACHED names. */
const SWITCH_TEXT = `
import { appendFileSync } from 'node:fs';
const active = Number(process.env.MUTANT);
const file = process.env.MUTANTS_REACHED;
const reached = globalThis.reachedMutants ?? new Set();
export function mutated(id) {
  if (file && !reached.has(id)) {
    reached.add(id);
    if (reached !== globalThis.reachedMutants) appendFileSync(file, id + '\\n');
  }
  return id === active;
}
`;

/** The files of the working tree, but for those that Git ignores. */
export function workingFiles(...under: readonly string[]): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...under];
  const listed = execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return [...new Set(listed.split('\0'))].filter((path) => path !== '' && existsSync(path));
}

/** What mutants are made of: the gateway's own code, but neither the explorer nor the client, which run elsewhere. */
export function sourceFiles(): SourceFile[] {
  return workingFiles('src')
    .filter((path) => /^src\/(?!explorer\/|client\/).*\.[jt]s$/.test(path))
    .map((path) => {
      const text = readFileSync(path, 'utf8');
      return { path, lines: text.split('\n').length - 1, mutants: mutantsOf(path, text) };
    });
}

/** Copies the working tree with all mutants in it to a folder, and compiles it there, so that processes of tests have them, too. */
export function makeSandbox(sandbox: string, mutants: readonly Numbered[]): void {
  mkdirSync(sandbox);
  for (const path of workingFiles()) cpSync(path, join(sandbox, path));
  symlinkSync(resolve('node_modules'), join(sandbox, 'node_modules'));
  const byFile = new Map<string, Numbered[]>();
  for (const mutant of mutants) addTo(byFile, mutant.file, mutant);
  for (const [path, inside] of byFile) {
    const text = instrumented(readFileSync(path, 'utf8'), inside);
    const to = relative(dirname(path), SWITCH);
    // An import acts from the end of a file, too.
    const line = `\nimport { mutated } from '${to.startsWith('.') ? to : `./${to}`}';\n`;
    writeFileSync(join(sandbox, path), text + line);
  }
  writeFileSync(join(sandbox, SWITCH), SWITCH_TEXT);
  const before = process.cwd();
  process.chdir(sandbox);
  run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck');
  cpSync('src/client', 'dist/client', { recursive: true });
  run('dist/database/pglite/initdb.js');
  process.chdir(before);
}
