import { expect, onTestFinished, test, vi } from 'vitest';
import type { App } from '../../src/app.ts';
import { stopOnSignal } from '../../src/cli/signals.ts';
import type { ToWorker } from '../../src/server/workers/messages.ts';

/** The process as far as signals concern it: calls its listeners in place of the system, and keeps its exit code. */
function signalled(): {
  readonly send: (signal: NodeJS.Signals) => void;
  readonly codes: unknown[];
} {
  const listeners = new Map<unknown, (signal: string) => void>();
  const codes: unknown[] = [];
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(process, 'on').mockImplementation((event: unknown, listener) => {
    listeners.set(event, listener);
    return process;
  });
  vi.spyOn(process, 'exit').mockImplementation((code) => codes.push(code) as never);
  return { send: (signal) => listeners.get(signal)?.(signal), codes };
}

test('a worker that gets a signal, and hears of it from the primary, too, stops once', async () => {
  const { send, codes } = signalled();
  const done: unknown[] = [];
  const log = {
    info: (...line: readonly unknown[]) => done.push(line.at(-1)),
    error: (...line: readonly unknown[]) => done.push(line.at(-1)),
  };
  const server = { log, server: { closeAllConnections: () => done.push('broken off') } };
  const close = (): Promise<void> => Promise.resolve(void done.push('closed'));
  let tell: (message: ToWorker) => void = () => undefined;
  const channel = {
    send: () => undefined,
    onMessage: (listener: typeof tell) => (tell = listener),
  };
  stopOnSignal({ server, close } as unknown as App, 60, channel);
  send('SIGTERM');
  tell({ kind: 'stop', signal: 'SIGTERM' });
  await expect.poll(() => codes).toEqual([0]);
  expect(done).toEqual(['stopping', 'closed', 'stopped']);
});
