import { describe, expect, test } from 'vitest';
import { reason } from '../../src/base/errors.ts';
import { connectRetrying } from '../../src/database/connect-at-start.ts';

describe('connectRetrying', () => {
  const away = new Error('connect ECONNREFUSED');
  const patience = {
    name: 'the server',
    seconds: 30,
    isTransient: (error: unknown) => error === away,
  };

  test('tries again while the server does not answer, and says so', async () => {
    const lines: string[] = [];
    const answers = [away, 'connected'];
    const connection = await connectRetrying(
      () => {
        const answer = answers.shift();
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
      { ...patience, onWait: (line) => lines.push(line) },
    );
    expect(connection).toBe('connected');
    expect(lines).toEqual([
      expect.stringMatching(/^waiting for the server: connect ECONNREFUSED \(\d+ s of 30 s\)$/),
    ]);
  });

  test('does not wait for what does not pass by itself', async () => {
    const refused = new Error('Login failed');
    const lines: string[] = [];
    await expect(
      connectRetrying(() => Promise.reject(refused), {
        ...patience,
        onWait: (line) => lines.push(line),
      }),
    ).rejects.toBe(refused);
    expect(lines).toEqual([]);
  });

  test('gives up when no time is left', async () => {
    const lines: string[] = [];
    await expect(
      connectRetrying(() => Promise.reject(away), {
        ...patience,
        seconds: 0,
        onWait: (line) => lines.push(line),
      }),
    ).rejects.toBe(away);
    expect(lines).toEqual([]);
  });
});

describe('reason', () => {
  const several = new AggregateError([new Error('a'), new Error('b'), new Error('a')], 'several');
  test.each<[title: string, error: unknown, expected: string]>([
    ['several errors', several, 'a; b'],
    ['what several are behind', new Error('no', { cause: several }), 'a; b'],
    [
      'what the driver wraps twice',
      Object.assign(new Error('no'), { originalError: new Error('no', { cause: several }) }),
      'a; b',
    ],
    ['one error', new Error('no', { cause: new Error('a') }), 'no'],
    ['a text', 'text', 'text'],
  ])('of %s', (_title, error, expected) => {
    expect(reason(error)).toBe(expected);
  });
});
