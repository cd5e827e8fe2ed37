#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { commands as others, runCommand } from './cli/commands.ts';
import { serve } from './cli/serve.ts';
import { nearestNames } from './base/names.ts';
import { StartupError } from './base/errors.ts';

const usage = `Usage: entitygate serve [options]

Serves the database that the configuration names below /rest/.

Options:
  --config FILE   the configuration file (default: config.yaml; also ENTITYGATE_CONFIG)
  --host ADDRESS  the address to listen on (also ENTITYGATE_HOST)
  --port NUMBER   the port to listen on (also ENTITYGATE_PORT)
  --help          show this text
  --version       show the version

Other commands; each shows its options with --help:
  entitygate init     write configuration and mapping files for a database
  entitygate check    compare the mapping files with the live schema
  entitygate schema   print the schema of the database as JSON
  entitygate sql URL  print the statements that a request would run

ENTITYGATE_DATABASE_URL and ENTITYGATE_LOG_LEVEL stand in for database.url and log.level of the
configuration file. The command line goes before the environment, the environment before the file.
`;

const commands = ['serve', ...Object.keys(others)];

/** Runs the command line; the exit code is 0, 1 for a problem the user can mend, 2 for a wrong command line. */
async function main(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', writingFailed);
  const ended = await runCommand(args, {
    environment,
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY,
  });
  if (ended !== null) {
    process.exitCode = ended;
    return;
  }
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        config: { type: 'string' },
        host: { type: 'string' },
        port: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    });
  } catch (error) {
    fail(`${(error as Error).message}\n\n${usage}`, 2);
    return;
  }
  const { values, positionals } = parsed;
  const [command, ...more] = positionals;
  if (values.help === true) {
    process.stdout.write(usage);
  } else if (values.version === true) {
    process.stdout.write(`${version()}\n`);
  } else if (command !== 'serve' || more.length > 0) {
    fail(`${misunderstood(command, more)}${usage}`, 2);
  } else {
    await run(() => serve(values, environment), environment);
  }
}

/** Who reads may stop early, as `head` does: the command then ends as it would have. */
function writingFailed({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') return;
  fail(`what the command prints cannot be written: ${message}\n`, 1);
}

async function run(command: () => Promise<void>, environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    await command();
  } catch (error) {
    fail(`entitygate cannot start:\n${reason(error, environment).replace(/^/gm, '  ')}\n`, 1);
  }
}

function reason(error: unknown, environment: NodeJS.ProcessEnv): string {
  if (error instanceof StartupError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const level = environment['ENTITYGATE_LOG_LEVEL'];
  return level === 'debug' || level === 'trace'
    ? (error.stack ?? error.message)
    : `${error.message}\nThis was not foreseen: ENTITYGATE_LOG_LEVEL=debug shows where it happened.`;
}

function misunderstood(command: string | undefined, more: readonly string[]): string {
  if (command === undefined) return '';
  if (Object.hasOwn(others, command)) return `${command} stands in front of its options.\n\n`;
  if (commands.includes(command)) return `${more.join(' ')}: ${command} takes options only.\n\n`;
  const [nearest] = nearestNames(command, commands);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `There is no command ${command}.${hint}\n\n`;
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function fail(text: string, code: number): void {
  process.stderr.write(text);
  process.exitCode = code;
}

await main(process.argv.slice(2), process.env);
