import { parseArgs, type ParseArgsConfig } from 'node:util';
import { StartupError } from '../base/errors.ts';
import { withoutSecrets } from '../base/secret-names.ts';
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
  /** Describes the one word that the command takes beside its options; null where it takes any number. */
  readonly word?: string | null;
  /** The line above the problems of a failed command; `entitygate` and its name, where it is left out. */
  readonly failure?: string;
  /** Returns the exit code. @throws UsageError for a wrong command line, StartupError for what the user can correct */
  readonly run: (given: ParsedOptions<Taken>, io: CommandIo) => Promise<number>;
}

/** Thrown for a wrong command line: the usage is shown below the message, and the exit code is 2. */
export class UsageError extends Error {}

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
          // A URL with a password may have been typed in the wrong place.
          const message = withoutSecrets(error.message);
          io.error(message === '' ? usage : `${message}\n\n${usage}`);
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
  { options, word }: CommandDefinition<Taken>,
): ParsedOptions<Taken> {
  let given;
  try {
    given = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  if (word === null) return given;
  const unexpected = given.positionals.slice(word === undefined ? 0 : 1);
  if (unexpected.length > 0) throw new UsageError(`${unexpected.join(' ')}: not expected`);
  if (word !== undefined && given.positionals.length === 0) {
    throw new UsageError(`expected ${word}`);
  }
  return given;
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
