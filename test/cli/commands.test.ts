import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { testFolder } from '../config/files.ts';
import { run } from './run.ts';

describe.each(commands.map(({ name }) => name))('%s', (name) => {
  test('shows how it is used', async () => {
    const { code, out } = await run([name, '--help']);
    expect(code).toBe(0);
    expect(out).toContain(`Usage: entitygate ${name}`);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  });

  test('refuses an option that it does not know, with exit code 2', async () => {
    const { code, out, error } = await run([name, '--nonsense']);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(error).toMatch(/--nonsense[\s\S]*Usage: entitygate/);
  });

  test('refuses what it has no use for', async () => {
    expect((await run([name, 'one', 'two'])).code).toBe(2);
  });
});

test('help and README list every command', async () => {
  const names = commands.map(({ name }) => name);
  const { out } = await run(['--help']);
  expect([...out.matchAll(/^ {2}entitygate (\w+)/gm)].map(([, name]) => name)).toEqual(names);
  const [, listed = ''] =
    /\[Commands\]\(docs\/reference\/commands\.md\): (.*)\./.exec(
      await readFile('README.md', 'utf8'),
    ) ?? [];
  expect(listed.split(', ')).toEqual(names.map((name) => `\`${name}\``));
});

describe('a line that names no command', () => {
  test.each([
    [[], /^Usage: entitygate serve/],
    [
      ['--port', '1'],
      /^The command is missing: serve, in front of its options\.\n\nUsage: entitygate serve/,
    ],
    [['chekc'], /^There is no command chekc\. Did you mean check\?\n\nUsage: /],
    [['--port', '1', 'init'], /^init stands in front of its options\.\n\nUsage: /],
    [['--port', '1', 'serve', 'all'], /^all: serve takes options only\.\n\nUsage: /],
    [['--prot'], /^Unknown option '--prot'.*\n\nUsage: /s],
  ])('%j', async (args, message) => {
    expect(await run(args)).toEqual({ code: 2, out: '', error: expect.stringMatching(message) });
  });

  test.each([[['--help']], [['-h']], [['nonsense', '--help']]])('%j', async (args) => {
    const { out, ...rest } = await run(args);
    expect(rest).toEqual({ code: 0, error: '' });
    expect(out).toMatch(/^Usage: entitygate serve/);
  });

  test('asks for the version', async () => {
    expect(await run(['--version'])).toEqual({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      error: '',
    });
  });

  test('names serve behind its options', async () => {
    expect(await run(['--config', '/no/such.yaml', 'serve'])).toEqual({
      code: 1,
      out: '',
      error: 'entitygate cannot start:\n  /no/such.yaml: there is no such file\n',
    });
  });
});

describe('init', () => {
  test.each([
    [['--out', '/no/such'], {}, /--database is missing, and there is no \/no\/such\/config\.yaml/],
    [['--out', 'package.json'], {}, /--out: package\.json is a file, not a folder/],
    [['--database', 'oracle:x'], {}, /--database: expected postgres:/],
    [['--database', 'pglite:/no/such', '--out', '/no/such'], {}, /--database: there is no folder/],
    [
      ['--out', '/no/such'],
      { ENTITYGATE_DATABASE_URL: 'pglite:/no/such' },
      /ENTITYGATE_DATABASE_URL: there is no folder/,
    ],
    [
      ['--out', '/no/such'],
      { ENTITYGATE_DATABASE_URL: 'postgres://h' },
      /ENTITYGATE_DATABASE_URL: is not a PostgreSQL URL/,
    ],
    [
      ['--database', 'postgres://h', '--out', '/no/such'],
      {},
      /--database: is not a PostgreSQL URL/,
    ],
  ])('%j says what is wrong', async (args, environment, message) => {
    const { code, error } = await run(['init', ...args], environment);
    expect(code).toBe(1);
    expect(error).toMatch(message);
  });

  test.each([
    [['--case', 'kamel'], '--case: expected camel, pascal, snake or keep'],
    [['--word', 'EMP'], '--word: expected NAME=TEXT, found "EMP"'],
    [['--strip', ''], '--strip: is empty'],
  ])('%j is a wrong command line', async (args, message) => {
    const url = 'postgres://h/d';
    const { code, error } = await run(['init', '--database', url, '--out', '/no/such', ...args]);
    expect([code, error.split('\n', 1)]).toEqual([2, [message]]);
  });

  test('says of a folder of mapping files that is none', async () => {
    const folder = await testFolder();
    try {
      await folder.write('config.yaml', 'database: { engine: postgres, url: "postgres://h/d" }\n');
      await folder.write('mappings', '');
      expect(await run(['init', '--out', folder.path])).toEqual({
        code: 1,
        out: '',
        error: `entitygate init:\n  ${folder.path}/mappings: is a file, not a folder\n`,
      });
    } finally {
      await folder.remove();
    }
  });

  test('writes nothing, and tells no password, when the database cannot be reached', async () => {
    const url = 'postgres://u:geheim@127.0.0.1:1/d';
    const { code, error } = await run(['init', '--database', url, '--out', '/no/such']);
    expect(code).toBe(1);
    expect(error).toContain('--database');
    expect(error).not.toContain('geheim');
  });
});
