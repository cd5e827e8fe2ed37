import { nearestNames } from '../base/names.ts';
import { letYoungHeapGrow } from '../base/heap.ts';
import type { Command } from './command.ts';
import type { CommandIo } from './io.ts';
import { serveCommand } from './serve.ts';

const serve = serveCommand(misunderstood);

export const commands: readonly Command[] = [
  serve,
  loaded('init', async () => (await import('./init.ts')).initCommand),
  loaded('check', async () => (await import('./check.ts')).checkCommand),
  loaded('schema', async () => (await import('./schema.ts')).schemaCommand),
  loaded('openapi', async () => (await import('./openapi.ts')).openApiCommand),
  loaded('sql', async () => (await import('./sql.ts')).sqlCommand),
  loaded('types', async () => (await import('./types.ts')).typesCommand),
  loaded('key', async () => (await import('./key.ts')).keyCommand),
  loaded('user', async () => (await import('./user.ts')).userCommand),
];

/** Makes a command that is loaded when it runs: a serving gateway does not need its modules. */
function loaded(name: string, load: () => Promise<Command>): Command {
  return {
    name,
    run: async (args, io) => {
      letYoungHeapGrow();
      const command = await load();
      return command.run(args, io);
    },
  };
}

/** Runs the command that the arguments name, and returns its exit code; a gateway goes on serving after that. */
export function runCommandLine(args: readonly string[], io: CommandIo): Promise<number> {
  const [first, ...rest] = args;
  const command = commands.find(({ name }) => name === first);
  // The name of serve may stand behind its options: it reads the whole line, also one without a known command.
  return command === undefined || command === serve ? serve.run(args, io) : command.run(rest, io);
}

/** Returns what is wrong with the words of a line that no other command begins, or null where they are `serve`. */
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
