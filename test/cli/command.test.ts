import { PassThrough } from 'node:stream';
import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { StartupError } from '../../src/base/errors.ts';
import { defineCommand, UsageError } from '../../src/cli/command.ts';
import { commandInput } from '../../src/cli/io.ts';
import { loadConfig } from '../../src/config/load.ts';
import { workerCount } from '../../src/cli/serve-workers.ts';
import { sharedFolder } from '../config/files.ts';
import { commandIo } from './run.ts';
import { programName, shellWord } from '../../src/cli/shell.ts';
import { parsed, rows } from '../rows.ts';

/** How a command ends, and what it says. */
async function running(
  given: Partial<Parameters<typeof defineCommand>[0]>,
  args: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
): Promise<[code: number, text: string]> {
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  const { run } = defineCommand({
    ...{ name: 'try', usage: '', options: {}, run: () => Promise.resolve(0) },
    ...given,
  });
  return [await run(args, commandIo({ environment, out: write, error: write })), text];
}

const failing = (error: Error, environment = {}): Promise<[code: number, text: string]> =>
  running({ run: () => Promise.reject(error) }, [], environment);

test('what was not foreseen is one sentence, and its place only for who asks', async () => {
  const error = new Error('oops');
  error.stack = 'Error: oops\n    at here';
  expect(await failing(error)).toEqual([
    1,
    'entitygate try:\n  oops\n  This is a bug; ENTITYGATE_LOG_LEVEL=debug shows where it happened.\n',
  ]);
  expect(await failing(error, { ENTITYGATE_LOG_LEVEL: 'trace' })).toEqual([
    1,
    'entitygate try:\n  Error: oops\n      at here\n',
  ]);
  expect(await failing('a text' as unknown as Error)).toEqual([1, 'entitygate try:\n  a text\n']);
});

test.each(rows`
  Unexpected argument: postgres://ada:pw@h/d | Unexpected argument: postgres://***@h/d
  postgres://h/d?sslpassword=pw is wrong | postgres://h/d?sslpassword=*** is wrong
  Server=h;Password="p w";Database=d: not expected | Server=h;Password=***;Database=d: not expected
  Unknown option '--password=pw' | Unknown option '--password=***'
  host=h password = pw | host=h password = ***
`)('of %s no secret is repeated', async (message, told) => {
  expect((await failing(new UsageError(message)))[1]).toBe(
    `${told}. See "entitygate try --help".\n`,
  );
  const [, text] = await failing(new Error(message), { ENTITYGATE_LOG_LEVEL: 'debug' });
  expect(text).toContain(told);
  expect(text).not.toMatch(/pw|p w/);
});

test.each(rows`
  [--prot, '1']       | Unknown option --prot. Did you mean --port?
  [--prot=1]          | Unknown option --prot. Did you mean --port?
  [-port, '1']        | Unknown option -port. Did you mean --port?
  [--PORT, '1']       | Unknown option --PORT. Did you mean --port?
  [--hepl]            | Unknown option --hepl. Did you mean --help?
  [--nonsense]        | Unknown option --nonsense. Known: --port, --dry-run, --help.
  [--password=geheim] | Unknown option --password. Known: --port, --dry-run, --help.
  [--port]            | --port needs a value.
  [--port, '-1']      | --port needs a value. One that begins with a dash follows an equals sign: --port=-1.
  [--dry-run=yes]     | --dry-run takes no value.
  [one]               | Unexpected argument: one.
`)('%j is refused with what would be right', async (args, message) => {
  const options = { port: { type: 'string' }, 'dry-run': { type: 'boolean' } } as const;
  expect(await running({ options }, parsed(args))).toEqual([
    2,
    `${message} See "entitygate try --help".\n`,
  ]);
});

/** What is read of what is typed or piped in, and what was shown meanwhile. */
async function read(
  isTerminal: boolean,
  ...chunks: readonly (string | Buffer | null)[]
): Promise<{ line: string; shown: string; input: PassThrough }> {
  const input = new PassThrough();
  let shown = '';
  const secret = commandInput(
    () => input,
    isTerminal,
    (text) => (shown += text),
  );
  const reading = secret
    .readSecret('Password: ')
    .catch((error: unknown) => `error: ${(error as StartupError).message}`);
  for (const chunk of chunks) {
    if (chunk === null) input.end();
    else input.write(chunk);
  }
  return { line: await reading, shown, input };
}

describe('what is typed', () => {
  test.each([
    ['a line', 'geheim wört\r', 'geheim wört'],
    ['a line that was corrected', 'gehein\u007fm\r', 'geheim'],
    ['a line that was begun anew', 'falsch\u0015geheim\r', 'geheim'],
    ['nothing', '\r', ''],
    ['Ctrl+C', 'geh\u0003', 'error: cancelled; nothing was written'],
    ['Ctrl+D', '\u0004', 'error: cancelled; nothing was written'],
    ['a terminal that goes away', null, 'error: cancelled; nothing was written'],
  ])('%s is read without being shown', async (_, keys, line) => {
    expect(await read(true, keys)).toMatchObject({ line, shown: 'Password: \n' });
  });

  test('is asked for twice', async () => {
    const input = new PassThrough();
    const secret = commandInput(
      () => input,
      true,
      () => undefined,
    );
    const first = secret.readSecret('');
    input.write('one\r');
    expect(await first).toBe('one');
    const second = secret.readSecret('');
    input.write('two\r');
    expect(await second).toBe('two');
  });
});

test('a question is shown with what is typed, and answered without blanks', async () => {
  const input = new PassThrough();
  let shown = '';
  const reading = commandInput(
    () => input,
    true,
    (text) => (shown += text),
  ).readLine('Server [localhost]: ');
  input.write(' db.example.com \r');
  expect(await reading).toBe('db.example.com');
  expect(shown).toMatch(/Server \[localhost\]: .* db\.example\.com \r\n$/s);
});

describe('what is piped in', () => {
  const refused =
    'error: the first line of standard input is not text in UTF-8 of up to 8192 bytes';
  test.each<[string, (string | Buffer | null)[], string]>([
    ['the first line', ['geheim\nmore\n', null], 'geheim'],
    ['a line of Windows', ['geheim\r\n', null], 'geheim'],
    ['a text without a break', ['geheim ', null], 'geheim '],
    ['nothing', [null], ''],
    ['an empty line', ['\ngeheim\n', null], ''],
    ['a letter in two pieces', [Buffer.from([0xc3]), Buffer.from([0xb6, 0x0a]), null], 'ö'],
    ['what goes on', ['geheim\n'], 'geheim'],
    ['no UTF-8', [Buffer.from([0xff, 0x0a]), null], refused],
    ['too much', ['x'.repeat(8193)], refused],
  ])('%s', async (_, chunks, line) => {
    const { input, ...said } = await read(false, ...chunks);
    expect(said).toEqual({ line, shown: '' });
    expect(input.destroyed).toBe(true);
  });
});

const folder = await sharedFolder();
const POSTGRES = 'database: { engine: postgres, url: postgres://gate:secret@db/erp }\n';
const STATE = `${POSTGRES}state: { url: valkey://store }\n`;

test.each([
  [POSTGRES, 1],
  [`${POSTGRES}server: { workers: 1 }`, 1],
  [`${STATE}server: { workers: 3 }`, 3],
  [`${STATE}server: { workers: auto }`, availableParallelism()],
  ['server: { workers: auto }', 1],
])('of %j there are %d workers', async (text, expected) => {
  const config = await loadConfig(await folder.write('config.yaml', text), {});
  expect(workerCount(config)).toBe(expected);
});

test.each([
  [`${process.cwd()}/dist/main.js`, {}, 'node dist/main.js'],
  ['/opt/my gateway/dist/main.js', {}, 'node "/opt/my gateway/dist/main.js"'],
  [`${process.cwd()}/src/main.ts`, { npm_command: 'exec' }, 'npx tsx src/main.ts'],
  ['/usr/local/bin/entitygate', {}, 'entitygate'],
  ['C:\\npm\\node_modules\\entitygate\\dist\\main.js', {}, 'entitygate'],
  ['C:\\npx\\node_modules\\entitygate\\dist\\main.js', { npm_command: 'exec' }, 'npx entitygate'],
  ['/home/me/erp/node_modules/.bin/entitygate', {}, 'npx entitygate'],
])('%s is started by %o as %s', (script, environment, name) => {
  expect(programName(script, environment)).toBe(name);
});

test.each([
  ['gateway/config.yaml', 'gateway/config.yaml'],
  ['C:\\erp\\config.yaml', 'C:\\erp\\config.yaml'],
  ['my gateway/config.yaml', '"my gateway/config.yaml"'],
  ["Ada's/config.yaml", '"Ada\'s/config.yaml"'],
  ["Ada's $HOME/config.yaml", "'Ada'\\''s $HOME/config.yaml'"],
  ['', '""'],
])('%s is quoted as %s', (text, word) => {
  expect(shellWord(text)).toBe(word);
});
