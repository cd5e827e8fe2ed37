import { parseArgs, type ParseArgsConfig } from 'node:util';
import { StartupError } from '../base/errors.ts';
import { nameHint } from '../base/names.ts';
import { withoutSecrets } from '../base/text.ts';
import type { CommandIo } from './io.ts';

export interface Command {
  readonly name: string;
  /** Runs it, and prints its problems. Returns the exit code: 0, 1 for a problem that the user can correct or for drift, 2 for a wrong command line. */
  readonly run: (args: readonly string[], io: CommandIo) => Promise<number>;
}

type Options = NonNullable<ParseArgsConfig['options']>;

type ParsedOptions<Taken extends Options> = ReturnType<
  typeof parseArgs<{ options: Taken; allowPositionals: true }>
>;

interface CommandDefinition<Taken extends Options> {
  readonly name: string;
  readonly usage: string;
  readonly options: Taken;
  /** The one argument that the command takes beside its options, and its meaning. */
  readonly argument?: string;
  /** The line above the problems of a failed command; `entitygate` and its name, where it is left out. */
  readonly failure?: string;
  /** Returns the exit code. @throws UsageError for a wrong command line, StartupError for what the user can correct */
  readonly run: (given: ParsedOptions<Taken>, io: CommandIo) => Promise<number>;
}

/** Thrown for a wrong command line: the message and a pointer to the help are one line, and the exit code is 2. */
export class UsageError extends Error {}

/** Returns the line that reports a wrong command line. @param help the command that shows what would be right */
export function usageErrorText(message: string, help: string): string {
  // A URL with a password may have been typed in the wrong place.
  return `${withoutSecrets(message).replace(/[^.?]$/, '$&.')} See "${help} --help".\n`;
}

/** Makes a command that parses its options, shows its usage and prints its failures. */
export function defineCommand<Taken extends Options>(
  definition: CommandDefinition<Taken>,
): Command {
  const { name, usage, failure = `entitygate ${name}` } = definition;
  return {
    name,
    run: async (args, io) => {
      if (args.includes('--help') || args.includes('-h')) {
        io.out(usage);
        return 0;
      }
      try {
        return await definition.run(readOptions(args, definition), io);
      } catch (error) {
        if (error instanceof UsageError) {
          io.error(usageErrorText(error.message, `entitygate ${name}`));
          return 2;
        }
        io.error(`${failure}:\n${failureText(error, io.environment).replace(/^/gm, '  ')}\n`);
        return 1;
      }
    },
  };
}

function readOptions<Taken extends Options>(
  args: readonly string[],
  { options, argument }: CommandDefinition<Taken>,
): ParsedOptions<Taken> {
  const settings = { args: [...args], options, allowPositionals: true as const };
  let given;
  try {
    given = parseArgs(settings);
  } catch (error) {
    throw new UsageError(optionProblem(settings) ?? (error as Error).message);
  }
  const unexpected = given.positionals.slice(argument === undefined ? 0 : 1);
  if (unexpected.length > 0) throw new UsageError(`Unexpected argument: ${unexpected.join(' ')}`);
  if (argument !== undefined && given.positionals.length === 0) {
    throw new UsageError(`Missing argument: ${argument}`);
  }
  return given;
}

/** Says what is wrong with the first wrong option of a command line; null where none is. */
function optionProblem(settings: { args: string[]; options: Options }): string | null {
  const { tokens } = parseArgs({ ...settings, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, index } = token;
    const type = settings.options[name]?.type;
    if (type === undefined) {
      // Of -port, Node reads -p, -o, -r and -t.
      const [written = rawName] = (settings.args[index] ?? '').split('=', 1);
      const known = [...Object.keys(settings.options), 'help'].map((option) => `--${option}`);
      return `Unknown option ${written}.${nameHint(written, known)}`;
    }
    if (type === 'boolean' && value !== undefined) return `${rawName} takes no value`;
    if (type === 'boolean') continue;
    if (value === undefined) return `${rawName} needs a value`;
    if (!token.inlineValue && value.startsWith('-')) {
      return `${rawName} needs a value. One that begins with a dash follows an equals sign: ${rawName}=${value}`;
    }
  }
  return null;
}

function failureText(error: unknown, environment: NodeJS.ProcessEnv): string {
  if (error instanceof StartupError) return error.message;
  if (!(error instanceof Error)) return withoutSecrets(String(error));
  const level = environment['ENTITYGATE_LOG_LEVEL'];
  return level === 'debug' || level === 'trace'
    ? withoutSecrets(error.stack ?? error.message)
    : `${withoutSecrets(error.message)}\nThis is a bug; ENTITYGATE_LOG_LEVEL=debug shows where it happened.`;
}

/** Returns the path of the configuration: that of the option, of ENTITYGATE_CONFIG, or the default. */
export function configPath(option: string | undefined, environment: NodeJS.ProcessEnv): string {
  // Compose files pass unset variables as empty texts.
  return [option, environment['ENTITYGATE_CONFIG']].find(Boolean) ?? 'config.yaml';
}
