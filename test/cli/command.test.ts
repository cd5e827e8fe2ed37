import { expect, test } from 'vitest';
import { StartupError } from '../../src/base/errors.ts';
import { type Command, defineCommand, UsageError } from '../../src/cli/command.ts';

/** What a command says and how it ends that fails in a certain way. */
async function failing(
  error: unknown,
  environment: NodeJS.ProcessEnv = {},
  failure?: string,
): Promise<[code: number, text: string]> {
  const command = defineCommand({
    name: 'try',
    usage: 'Usage: entitygate try\n',
    options: {},
    ...(failure === undefined ? {} : { failure }),
    run: () => Promise.reject(error as Error),
  });
  return running(command, [], environment);
}

async function running(
  command: Command,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<[code: number, text: string]> {
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  const code = await command.run(args, {
    environment,
    out: write,
    error: write,
    isTerminal: false,
    input: {
      isTerminal: false,
      readSecret: () => Promise.resolve(''),
      readLine: () => Promise.resolve(''),
    },
    program: 'entitygate',
  });
  return [code, text];
}

test('each problem that the user can mend is a line', async () => {
  const error = new StartupError([
    { where: 'config.yaml:1:1', message: 'is wrong' },
    { where: null, message: 'so is this' },
  ]);
  const lines = '  config.yaml:1:1: is wrong\n  so is this\n';
  expect(await failing(error)).toEqual([1, `entitygate try:\n${lines}`]);
  expect(await failing(error, {}, 'it cannot start')).toEqual([1, `it cannot start:\n${lines}`]);
});

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
  expect(await failing('a text')).toEqual([1, 'entitygate try:\n  a text\n']);
});

test.each([
  ['Unexpected argument: postgres://ada:pw@h/d', 'Unexpected argument: postgres://***@h/d'],
  ['postgres://h/d?sslpassword=pw is wrong', 'postgres://h/d?sslpassword=*** is wrong'],
  [
    'Server=h;Password="p w";Database=d: not expected',
    'Server=h;Password=***;Database=d: not expected',
  ],
  ["Unknown option '--password=pw'", "Unknown option '--password=***'"],
  ['host=h password = pw', 'host=h password = ***'],
])('of %s no secret is repeated', async (message, told) => {
  expect((await failing(new UsageError(message)))[1]).toBe(
    `${told}. See "entitygate try --help".\n`,
  );
  const [, text] = await failing(new Error(message), { ENTITYGATE_LOG_LEVEL: 'debug' });
  expect(text).toContain(told);
  expect(text).not.toMatch(/pw|p w/);
});

test.each(['--x is wrong.', '--x is wrong. Did you mean y?'])('%s is one line', async (message) => {
  expect(await failing(new UsageError(message))).toEqual([
    2,
    `${message} See "entitygate try --help".\n`,
  ]);
});

test.each([
  [['--prot', '1'], 'Unknown option --prot. Did you mean --port?'],
  [['--prot=1'], 'Unknown option --prot. Did you mean --port?'],
  [['-port', '1'], 'Unknown option -port. Did you mean --port?'],
  [['--PORT', '1'], 'Unknown option --PORT. Did you mean --port?'],
  [['--hepl'], 'Unknown option --hepl. Did you mean --help?'],
  [['--nonsense'], 'Unknown option --nonsense. Known: --port, --dry-run, --help.'],
  [['--password=geheim'], 'Unknown option --password. Known: --port, --dry-run, --help.'],
  [['--port'], '--port needs a value.'],
  [
    ['--port', '-1'],
    '--port needs a value. One that begins with a dash follows an equals sign: --port=-1.',
  ],
  [['--dry-run=yes'], '--dry-run takes no value.'],
  [['one'], 'Unexpected argument: one.'],
])('%j is refused with what would be right', async (args, message) => {
  const options = { port: { type: 'string' }, 'dry-run': { type: 'boolean' } } as const;
  const command = defineCommand({
    name: 'try',
    usage: '',
    options,
    run: () => Promise.resolve(0),
  });
  expect(await running(command, args)).toEqual([2, `${message} See "entitygate try --help".\n`]);
});

test('a missing argument is named', async () => {
  const command = defineCommand({
    name: 'try',
    usage: '',
    options: {},
    argument: 'NAME, of a user',
    run: () => Promise.resolve(0),
  });
  expect(await running(command, [])).toEqual([
    2,
    'Missing argument: NAME, of a user. See "entitygate try --help".\n',
  ]);
  expect(await running(command, ['one'])).toEqual([0, '']);
});
