#!/usr/bin/env node
import { isatty } from 'node:tty';
import { keepYoungHeapSmall } from './base/heap.ts';

/** Reports a failed write, unless the reader stopped early, as `head` does. */
function writingFailed({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') return;
  process.stderr.write(`The output cannot be written: ${message}\n`);
  process.exitCode = 1;
}

for (const stream of [process.stdout, process.stderr]) stream.on('error', writingFailed);

keepYoungHeapSmall();
// Static imports would run before that.
const { runCommandLine } = await import('./cli/commands.ts');
const { commandInput } = await import('./cli/io.ts');
const { programName } = await import('./cli/shell.ts');

const exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
  input: commandInput(
    () => process.stdin,
    isatty(0),
    (text) => process.stderr.write(text),
  ),
  program: programName(process.argv[1] ?? '', process.env),
});
process.exitCode ??= exitCode;
