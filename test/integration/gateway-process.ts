import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** The program as it was compiled before the tests. */
export const PROGRAM = 'dist/main.js';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: { start: string };
};

/** The options of Node.js with which `npm start` runs the program. */
const NODE_OPTIONS = scripts.start.split(' ').filter((word) => word.startsWith('--'));

/** Compiles WebAssembly once: to compile again what is used much takes longer than the few requests of a test. */
export const SHORT_LIVED = '--liftoff-only';

/** A gateway in a process of its own. */
export interface GatewayProcess {
  readonly child: ChildProcess;
  /** Resolves with the address once the gateway serves; rejects with what it said when it ended instead. */
  readonly serving: Promise<string>;
  /** What it has printed so far. */
  readonly said: { readonly stdout: string; readonly stderr: string };
  /** Resolves when the process has ended. */
  readonly ended: Promise<Ended>;
  /** Ends it by a signal, and waits for its end. */
  readonly end: (signal: 'SIGTERM' | 'SIGKILL') => Promise<Ended>;
  /** Ends it by a second signal, with which it waits for nothing. */
  readonly force: () => Promise<Ended>;
}

/** How a process ended. */
export interface Ended {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the program as `npm start` does, with arguments and environment variables of its own.
 * @param preload a module that is loaded before the program, and that messages can be sent to and come from
 * @param stdout where standard output goes: a descriptor, or to what is told at the end
 * @param isShortLived whether it answers too few requests to have its memory and speed looked at
 */
export function runGateway(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  preload?: string,
  stdout: number | 'pipe' = 'pipe',
  isShortLived = true,
): GatewayProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('ENTITYGATE_'));
  const before = [
    ...NODE_OPTIONS,
    ...(isShortLived ? [SHORT_LIVED] : []),
    ...(preload === undefined ? [] : ['--import', preload]),
  ];
  const child = spawn(process.execPath, [...before, PROGRAM, ...args], {
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: ['ignore', stdout, 'pipe', preload === undefined ? 'ignore' : 'ipc'],
  });
  const said = { stdout: '', stderr: '' };
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }));
  const serving = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => (said.stdout += chunk.toString('utf8')));
    child.stderr?.on('data', (chunk: Buffer) => {
      said.stderr += chunk.toString('utf8');
      const address = /^Entitygate serves .* at (.*)\/rest\/$/m.exec(said.stderr)?.[1];
      if (address !== undefined) resolve(address);
    });
    void ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  // Who waits for the end only need not handle this.
  serving.catch(() => undefined);
  const end: GatewayProcess['end'] = (signal) => {
    child.kill(signal);
    return ended;
  };
  const force = async (): Promise<Ended> => {
    child.kill('SIGTERM');
    // Two signals at once would be taken for one.
    const again = setInterval(() => child.kill('SIGTERM'), 500);
    return ended.finally(() => {
      clearInterval(again);
    });
  };
  return { child, serving, said, ended, end, force };
}
