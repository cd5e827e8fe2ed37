import { nearestNames } from '../base/names.ts';
import { checkCommand } from './check.ts';
import type { Command } from './command.ts';
import { initCommand } from './init.ts';
import type { CommandIo } from './io.ts';
import { keyCommand } from './key.ts';
import { schemaCommand } from './schema.ts';
import { serveCommand } from './serve.ts';
import { sqlCommand } from './sql.ts';
import { userCommand } from './user.ts';

const serve = serveCommand(misunderstood);

/** All commands: one serves, the others do their work and end. */
export const commands: readonly Command[] = [
  serve,
  initCommand,
  checkCommand,
  schemaCommand,
  sqlCommand,
  keyCommand,
  userCommand,
];

/**
 * Runs the command that the arguments name.
 * @returns the exit code, as the command gives it; a gateway goes on serving after that
 */
export function runCommandLine(args: readonly string[], io: CommandIo): Promise<number> {
  const [first, ...rest] = args;
  const command = commands.find(({ name }) => name === first);
  // The name of serve may stand behind its options: it reads the whole line, and that of no command, too.
  return command === undefined || command === serve ? serve.run(args, io) : command.run(rest, io);
}

/** What is wrong with the words of a line that no other command begins, or null where they say `serve`. */
function misunderstood([name, ...more]: readonly string[], hasOptions: boolean): string | null {
  if (name === undefined) {
    return hasOptions ? `The command is missing: ${serve.name}, in front of its options.` : '';
  }
  if (name === serve.name) {
    return more.length === 0 ? null : `${more.join(' ')}: ${name} takes options only.`;
  }
  const names = commands.map((command) => command.name);
  if (names.includes(name)) return `${name} stands in front of its options.`;
  const [nearest] = nearestNames(name, names);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `There is no command ${name}.${hint}`;
}
