import { readFileSync } from 'node:fs';
import { nameHint, nearestNames } from '../base/names.ts';
import { letYoungHeapGrow } from '../base/heap.ts';
import { type Command, usageErrorText } from './command.ts';
import type { CommandIo } from './io.ts';

const usage = `Usage: entitygate COMMAND [options]

Entitygate serves a PostgreSQL or SQL Server database as a REST API.

Start here:
  entitygate serve      start the gateway
  entitygate init       write configuration and mapping files for your database
  entitygate check      compare the mapping files with the database

More commands:
  entitygate schema     print the schema of the database as JSON
  entitygate openapi    print the OpenAPI document of the API
  entitygate sql URL    print the SQL statements of a request
  entitygate types      write a TypeScript client with the types of your data
  entitygate key NAME   make an API key
  entitygate user NAME  make a user with a password

Options:
  --help                show this text; after a command, its options
  --version             show the version
`;

const SERVE = 'serve';

export const commands: readonly Command[] = [
  { name: SERVE, run: async (args, io) => (await import('./serve.ts')).serveCommand.run(args, io) },
  loaded('init', async () => (await import('./init.ts')).initCommand),
  loaded('check', async () => (await import('./check.ts')).checkCommand),
  loaded('schema', async () => (await import('./schema.ts')).schemaCommand),
  loaded('openapi', async () => (await import('./openapi.ts')).openApiCommand),
  loaded('sql', async () => (await import('./sql.ts')).sqlCommand),
  loaded('types', async () => (await import('./types.ts')).typesCommand),
  loaded('key', async () => (await import('./key.ts')).keyCommand),
  loaded('user', async () => (await import('./user.ts')).userCommand),
];

/** Makes a command whose modules are loaded when it runs, as those of `serve` are: that one decides by itself how its heap grows. */
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
export async function runCommandLine(args: readonly string[], io: CommandIo): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined) {
    io.error(usage);
    return 2;
  }
  const command = commands.find(({ name }) => name === first);
  if (command !== undefined) return command.run(rest, io);
  if (args.includes('--help') || args.includes('-h')) {
    io.out(usage);
    return 0;
  }
  if (first === '--version') {
    io.out(`${version()}\n`);
    return 0;
  }
  io.error(usageErrorText(commandProblem(first, args), 'entitygate'));
  return 2;
}

/** Says what is wrong with a line that begins with no command. */
function commandProblem(first: string, args: readonly string[]): string {
  const names = commands.map(({ name }) => name);
  if (!first.startsWith('-')) return `Unknown command ${first}.${nameHint(first, names)}`;
  const [nearest] = nearestNames(first, ['--help', '--version']);
  if (nearest !== undefined) return `Unknown option ${first}. Did you mean ${nearest}?`;
  const command = args.find((arg) => names.includes(arg)) ?? SERVE;
  return `Name the command first: entitygate ${command} ${first}`;
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
