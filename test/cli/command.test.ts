import { expect, test } from 'vitest';
import { StartupError } from '../../src/base/errors.ts';
import { defineCommand, UsageError } from '../../src/cli/command.ts';

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
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  const code = await command.run([], {
    environment,
    out: write,
    error: write,
    isTerminal: false,
    secret: { isTerminal: false, read: () => Promise.resolve('') },
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
  ['postgres://ada:pw@h/d: not expected', 'postgres://***@h/d: not expected'],
  ['postgres://h/d?sslpassword=pw: not expected', 'postgres://h/d?sslpassword=*** not expected'],
  [
    'Server=h;Password="p w";Database=d: not expected',
    'Server=h;Password=***;Database=d: not expected',
  ],
  ["Unknown option '--password=pw'", "Unknown option '--password=***'"],
  ['host=h password = pw', 'host=h password = ***'],
])('of %s no secret is repeated', async (message, told) => {
  expect((await failing(new UsageError(message)))[1]).toBe(`${told}\n\nUsage: entitygate try\n`);
  const [, text] = await failing(new Error(message), { ENTITYGATE_LOG_LEVEL: 'debug' });
  expect(text).toContain(told);
  expect(text).not.toMatch(/pw|p w/);
});

test('a wrong command line is told above the usage, where there is something to tell', async () => {
  expect(await failing(new UsageError('--x: what?'))).toEqual([
    2,
    '--x: what?\n\nUsage: entitygate try\n',
  ]);
  expect(await failing(new UsageError(''))).toEqual([2, 'Usage: entitygate try\n']);
});
