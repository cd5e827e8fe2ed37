import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A program that serves, in a process of its own. */
export interface Side {
  readonly name: string;
  readonly port: number;
  /** The time of the processor that all its threads have used since it was asked last. */
  readonly cpuMilliseconds: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** How a program is started. */
export interface StartOptions {
  readonly cwd?: string;
  /** What its environment has besides. */
  readonly env?: Readonly<Record<string, string>>;
}

const PRELOAD = pathToFileURL(resolve('test/tools/bench/endpoints/preload.js')).href;

/**
 * Starts a program with Node and waits until it says where it serves. What it logs goes nowhere, by a real file descriptor, as in production.
 * @param args the program and its arguments
 * @param serves matches what it says on standard error when it serves; its first group is the port
 * @throws Error with what it said when it ended instead
 */
export async function startSide(
  name: string,
  args: readonly string[],
  serves: RegExp,
  { cwd = '.', env = {} }: StartOptions = {},
): Promise<Side> {
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('ENTITYGATE_'));
  const child = spawn(process.execPath, ['--import', PRELOAD, ...args], {
    cwd,
    env: { ...Object.fromEntries(inherited), NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const ended = once(child, 'close');
  const port = await new Promise<number>((found, failed) => {
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-10_000);
      const text = serves.exec(said)?.[1];
      if (text !== undefined) found(Number(text));
    });
    void ended.then(() => {
      failed(new Error(`${name} has ended:\n${said}`));
    });
  });
  return {
    name,
    port,
    cpuMilliseconds: async () => {
      const answered = once(child, 'message') as Promise<[number]>;
      const gone = ended.then((): never => {
        throw new Error(`${name} has ended`);
      });
      // What keeps it from being sent is that the process has ended.
      child.send('usage', () => undefined);
      const [used] = await Promise.race([answered, gone]);
      return used;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
