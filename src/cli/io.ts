import { parseArgs, type ParseArgsConfig } from 'node:util';
import { StartupError } from '../base/errors.ts';

/** What a command reads and where it writes; tests pass their own. */
export interface CommandIo {
  readonly environment: NodeJS.ProcessEnv;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Whether {@link error} is a terminal that a person looks at. */
  readonly isTerminal: boolean;
}

/** A command of the command line. */
export interface Command {
  readonly usage: string;
  /** @returns the exit code */
  readonly run: (args: readonly string[], io: CommandIo) => Promise<number>;
}

/** The command line itself is wrong: the usage is shown, and the exit code is 2. */
export class UsageError extends Error {}

/**
 * Reads a command's options.
 * @throws UsageError when there is one that the command does not know
 */
export function readOptions<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
  positionals: { readonly least: number; readonly most: number; readonly what: string },
): ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true }>> {
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const count = parsed.positionals.length;
  if (count > positionals.most) {
    throw new UsageError(`${parsed.positionals.slice(positionals.most).join(' ')}: not expected`);
  }
  if (count < positionals.least) throw new UsageError(`expected ${positionals.what}`);
  return parsed;
}

/** The path of the configuration that a command works with. */
export function configPath(option: string | undefined, environment: NodeJS.ProcessEnv): string {
  return [option, environment['ENTITYGATE_CONFIG']].find(Boolean) ?? 'config.yaml';
}

/** What takes longer than this is told of, in milliseconds. */
const LONG = 2000;

/** One line of progress on a terminal; elsewhere a line for work that takes a while. */
export class Progress {
  readonly #io: CommandIo;

  constructor(io: CommandIo) {
    this.#io = io;
  }

  /** Shows what is being done until it is done. */
  async during<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
    if (!this.#io.isTerminal) return this.#said(text, work);
    const started = Date.now();
    const show = (): void => {
      const seconds = Math.floor((Date.now() - started) / 1000);
      this.#io.error(`\r\u001b[2K${text} …${seconds === 0 ? '' : ` ${seconds} s`}`);
    };
    show();
    const timer = setInterval(show, 1000);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      this.#io.error('\r\u001b[2K');
    }
  }

  async #said<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
    const timer = setTimeout(() => {
      this.#io.error(`${text} …\n`);
    }, LONG);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }
}

/** What went wrong, as a person reads it. */
export function failureText(error: unknown, environment: NodeJS.ProcessEnv): string {
  if (error instanceof StartupError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const level = environment['ENTITYGATE_LOG_LEVEL'];
  return level === 'debug' || level === 'trace'
    ? (error.stack ?? error.message)
    : `${error.message}\nThis was not foreseen: ENTITYGATE_LOG_LEVEL=debug shows where it happened.`;
}
