import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { StartupError } from '../../src/base/errors.ts';
import { commandInput } from '../../src/cli/io.ts';

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
  ])('%s is read without being shown', async (_, keys, line) => {
    expect(await read(true, keys)).toMatchObject({ line, shown: 'Password: \n' });
  });

  test('the terminal may go away', async () => {
    expect(await read(true, null)).toMatchObject({
      line: 'error: cancelled; nothing was written',
    });
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
