import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { StateStoreSettings } from '../../src/state/shared/state-store.ts';
import { freePort } from './free-port.ts';

/** The program of the store: Valkey, or else Redis; null where neither is installed. */
const program =
  ['valkey-server', 'redis-server'].find(
    (name) => spawnSync(name, ['--version']).error === undefined,
  ) ?? null;

/** Why the store cannot be had on this machine, or null when it can. */
export const noStateStore =
  program === null ? 'neither valkey-server nor redis-server is installed' : null;

/** A state store in a process of its own, which keeps nothing when it ends. */
export interface StateStoreTarget {
  readonly settings: StateStoreSettings;
  /** Ends it, and its connections with it. @param signal `SIGKILL` ends it at once */
  readonly stop: (signal?: 'SIGTERM' | 'SIGKILL') => Promise<void>;
  /** Starts it again at the same port, empty, where it was stopped. */
  readonly start: () => Promise<void>;
  /** Has it answer nothing, until {@link thaw}. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Runs a command of its own protocol. */
  readonly command: (name: string, ...parameters: readonly string[]) => Promise<unknown>;
  /** Stops it for good. */
  readonly close: () => Promise<void>;
}

/** Starts a store on a free port. @param options of the server, such as `--requirepass` and its value */
export async function openStateStore(...options: readonly string[]): Promise<StateStoreTarget> {
  if (program === null) throw new Error(String(noStateStore));
  const name = program;
  const folder = await mkdtemp(join(tmpdir(), 'entitygate-store-'));
  const port = await freePort();
  const password = options[options.indexOf('--requirepass') + 1];
  let child: ChildProcess | null = null;
  const command: StateStoreTarget['command'] = async (text, ...parameters) => {
    const client = new Redis({
      ...{ port, lazyConnect: true, retryStrategy: null },
      ...(options.includes('--requirepass') && { password }),
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.call(text, ...parameters);
    } finally {
      client.disconnect();
    }
  };
  const start = async (): Promise<void> => {
    if (child !== null) return;
    child = spawn(
      name,
      ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder].concat(
        ['--save', '', '--appendonly', 'no', '--loglevel', 'warning'],
        options,
      ),
      { stdio: 'ignore' },
    );
    for (;;) {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
      try {
        await command('PING');
        return;
      } catch {
        await pause(20);
      }
    }
  };
  const stop: StateStoreTarget['stop'] = async (signal = 'SIGTERM') => {
    const running = child;
    child = null;
    if (running === null) return;
    const ended = once(running, 'exit');
    running.kill(signal);
    running.kill('SIGCONT');
    await ended;
  };
  const kill = (): void => {
    child?.kill('SIGKILL');
  };
  process.once('exit', kill);
  await start();
  return {
    settings: { url: `valkey://127.0.0.1:${port}`, prefix: 'entitygate', timeoutSeconds: 5 },
    start,
    stop,
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    command,
    close: async () => {
      process.off('exit', kill);
      await stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
