import { runCommandLine } from '../../src/cli/commands.ts';
import type { CommandInput } from '../../src/cli/io.ts';

/** What a command said, and how it ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** Runs a command as the command line would, without a process. */
export async function run(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  isTerminal = false,
  input: CommandInput = nothingTyped,
): Promise<Ended> {
  const said = { out: '', error: '' };
  const code = await runCommandLine(args, {
    environment,
    out: (text) => (said.out += text),
    error: (text) => (said.error += text),
    isTerminal,
    input,
    program: 'entitygate',
  });
  return { code, ...said };
}

const nothingTyped: CommandInput = {
  isTerminal: false,
  readSecret: () => Promise.reject(new Error('The command reads a secret.')),
  readLine: () => Promise.reject(new Error('The command asks a question.')),
};
