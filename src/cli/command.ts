import { parseArgs, type ParseArgsConfig } from 'node:util';
import { StartupError } from '../base/errors.ts';
import { withoutSecrets } from '../base/secret-names.ts';
import type { CommandIo } from './io.ts';

/** A command of the command line. */
export interface Command {
  readonly name: string;
  /**
   * Runs it, and prints what is wrong where it fails.
   * @returns the exit code: 0, 1 for a problem the user can mend or drift that was found, 2 for a wrong command line
   */
  readonly run: (args: readonly string[], io: CommandIo) => Promise<number>;
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** What the command line says to a command. */
type ParsedOptions<Taken extends Options> = ReturnType<
  typeof parseArgs<{ options: Taken; allowPositionals: true }>
>;

/** How many words a command takes beside its options, and what they are. */
interface Words {
  readonly least: number;
  readonly most: number;
  readonly what: string;
}

interface CommandDefinition<Taken extends Options> {
  readonly name: string;
  /** What `--help` shows. */
  readonly usage: string;
  readonly options: Taken;
  /** None, where it is left out. */
  readonly words?: Words;
  /** What stands above the problems of a command that failed; `entitygate` and its name, where it is left out. */
  readonly failure?: string;
  /**
   * @returns the exit code
   * @throws UsageError for a wrong command line, StartupError for what the user can mend
   */
  readonly run: (given: ParsedOptions<Taken>, io: CommandIo) => Promise<number>;
}

/** The command line itself is wrong: the usage is shown below the message, and the exit code is 2. */
export class UsageError extends Error {}

/** A command that reads its options, shows its usage and tells its failures as all do. */
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
  { options, words = { least: 0, most: 0, what: '' } }: CommandDefinition<Taken>,
): ParsedOptions<Taken> {
  let given;
  try {
    given = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const { length } = given.positionals;
  if (length > words.most) {
    throw new UsageError(`${given.positionals.slice(words.most).join(' ')}: not expected`);
  }
  if (length < words.least) throw new UsageError(`expected ${words.what}`);
  return given;
}

/** What went wrong, as a person reads it. */
function failureText(error: unknown, environment: NodeJS.ProcessEnv): string {
  if (error instanceof StartupError) return error.message;
  if (!(error instanceof Error)) return withoutSecrets(String(error));
  const level = environment['ENTITYGATE_LOG_LEVEL'];
  return level === 'debug' || level === 'trace'
    ? withoutSecrets(error.stack ?? error.message)
    : `${withoutSecrets(error.message)}\nThis is a bug; ENTITYGATE_LOG_LEVEL=debug shows where it happened.`;
}

/** The path of the configuration that a command works with. */
export function configPath(option: string | undefined, environment: NodeJS.ProcessEnv): string {
  // An empty variable is one that is not set, as in compose files.
  return [option, environment['ENTITYGATE_CONFIG']].find(Boolean) ?? 'config.yaml';
}
