import { checkCommand } from './check.ts';
import { initCommand } from './init.ts';
import { failureText, UsageError, type Command, type CommandIo } from './io.ts';
import { schemaCommand } from './schema.ts';
import { sqlCommand } from './sql.ts';

/** The commands beside `serve`: they do their work and end. */
export const commands: Readonly<Record<string, Command>> = {
  init: initCommand,
  check: checkCommand,
  schema: schemaCommand,
  sql: sqlCommand,
};

/**
 * Runs the command that the arguments begin with.
 * @returns the exit code: 0, 1 for a problem the user can mend or drift that was found, 2 for a wrong command line;
 * null where the arguments begin with none of these commands
 */
export async function runCommand(args: readonly string[], io: CommandIo): Promise<number | null> {
  const [name = '', ...rest] = args;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return null;
  if (rest.includes('--help') || rest.includes('-h')) {
    io.out(command.usage);
    return 0;
  }
  try {
    return await command.run(rest, io);
  } catch (error) {
    if (error instanceof UsageError) {
      io.error(`${error.message}\n\n${command.usage}`);
      return 2;
    }
    io.error(`entitygate ${name}:\n${failureText(error, io.environment).replace(/^/gm, '  ')}\n`);
    return 1;
  }
}
