import { runCommandLine } from '../../src/cli/commands.ts';
import type { CommandInput, CommandIo } from '../../src/cli/io.ts';

/** What a command said, and how it ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** The input and output of a command that nobody watches. */
export function commandIo(given: Partial<CommandIo> = {}): CommandIo {
  return {
    environment: {},
    out: () => undefined,
    error: () => undefined,
    isTerminal: false,
    input: nothingTyped,
    program: 'entitygate',
    ...given,
  };
}

/** Runs a command as the command line would, without a process. */
export async function run(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  isTerminal = false,
  input: CommandInput = nothingTyped,
): Promise<Ended> {
  const said = { out: '', error: '' };
  const io = commandIo({
    environment,
    out: (text) => (said.out += text),
    error: (text) => (said.error += text),
    isTerminal,
    input,
  });
  const code = await runCommandLine(args, io);
  return { code, ...said };
}

const nothingTyped: CommandInput = {
  isTerminal: false,
  readSecret: () => Promise.reject(new Error('The command reads a secret.')),
  readLine: () => Promise.reject(new Error('The command asks a question.')),
};
