#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { serve } from './cli/serve.ts';
import { StartupError } from './base/errors.ts';

const usage = `Usage: entitygate serve [options]

Serves the database that the configuration names below /rest/.

Options:
  --config FILE   the configuration file (default: config.yaml; also ENTITYGATE_CONFIG)
  --host ADDRESS  the address to listen on (also ENTITYGATE_HOST)
  --port NUMBER   the port to listen on (also ENTITYGATE_PORT)
  --help          show this text
`;

/** Runs the command line; the exit code is 0, 1 for a problem the user can mend, 2 for a wrong command line. */
async function main(args: readonly string[]): Promise<void> {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        config: { type: 'string' },
        host: { type: 'string' },
        port: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    fail(`${(error as Error).message}\n\n${usage}`, 2);
    return;
  }
  const { values, positionals } = parsed;
  if (values.help === true) {
    process.stdout.write(usage);
    return;
  }
  if (positionals.length !== 1 || positionals[0] !== 'serve') {
    fail(usage, 2);
    return;
  }
  try {
    await serve(values, process.env);
  } catch (error) {
    const expected = error instanceof StartupError;
    const text = error instanceof Error ? (expected ? error.message : String(error.stack)) : '';
    fail(`entitygate cannot start:\n${text.replace(/^/gm, '  ')}\n`, 1);
  }
}

function fail(text: string, code: number): void {
  process.stderr.write(text);
  process.exitCode = code;
}

await main(process.argv.slice(2));
