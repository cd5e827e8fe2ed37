import { once } from 'node:events';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { testFolder } from '../../config/files.ts';
import { runGateway } from '../../integration/gateway-process.ts';

/** What the gateway's process says of itself; see probe.js. */
export interface Reading {
  /** The longest that the event loop was held since the last reading, in milliseconds, without what the thread waited for a core. */
  readonly held: number;
  /** Bytes that are resident now, and the most since the last reading. */
  readonly rss: number;
  readonly peak: number;
  readonly heapUsed: number;
  /** Open TCP connections: those of clients, and those to the database. */
  readonly sockets: number;
}

/** A gateway in a process of its own that is measured while it is ill-treated. */
export interface Measured {
  readonly port: number;
  /** Reads, and begins anew. */
  readonly read: () => Promise<Reading>;
  /** The same once garbage is collected. */
  readonly atRest: () => Promise<Reading>;
  /** What it has logged since the last call. */
  readonly takeLog: () => string;
  /** Why the process has ended, where it has. */
  readonly end: () => string | null;
  readonly stop: () => Promise<void>;
}

const PROBE = pathToFileURL('test/tools/torture/probe.js').href;

/** How long a process that is asked may take to answer, in milliseconds: one that is held does not. */
const ANSWER_TIME = 30_000;

/** How long it may take to stop, in milliseconds. */
const STOP_TIME = 10_000;

/** The largest message of an agent, in bytes: as large as a setting allows. */
export const MOST_MESSAGE = 1_048_576;

/** Starts the program as it was built, with the repository's mapping files. @param database its setting of that name */
export async function startMeasured(
  database: Readonly<Record<string, unknown>>,
): Promise<Measured> {
  const folder = await testFolder();
  // Relative to the configuration's folder is not where the seed is.
  const { seed } = database;
  const settings = {
    server: { port: 0, shutdownSeconds: 5 },
    log: { level: 'error' },
    mappings: `${process.cwd()}/mappings`,
    ignoreCase: true,
    mcp: { enabled: true, write: true, maxRequestBytes: MOST_MESSAGE },
    database: { ...database, ...(typeof seed === 'string' && { seed: resolve(seed) }) },
  };
  const config = await folder.write('config.yaml', JSON.stringify(settings));
  const { child, serving, ended } = runGateway(['serve', '--config', config], {}, PROBE);
  let end: string | null = null;
  let log = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    log += chunk.toString('utf8');
  });
  void ended.then(({ code, stderr }) => {
    end = `exit code ${code ?? 'none'}: ${stderr.slice(-2000)}`;
  });
  const gone = ended.then(() => Promise.reject(new Error(`the gateway has ended: ${end}`)));
  gone.catch(() => undefined);
  const ask = async (what: string): Promise<Reading> => {
    const signal = AbortSignal.timeout(ANSWER_TIME);
    const answered = once(child, 'message', { signal }) as Promise<[Reading]>;
    // What keeps it from being sent is that the process has ended.
    child.send(what, () => undefined);
    const [reading] = await Promise.race([answered, gone]);
    return reading;
  };
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const last = setTimeout(() => child.kill('SIGKILL'), STOP_TIME);
    await ended;
    clearTimeout(last);
    await folder.remove();
  };
  try {
    return {
      port: Number(new URL(await serving).port),
      read: () => ask('read'),
      atRest: () => ask('collect'),
      takeLog: () => {
        const taken = log;
        log = '';
        return taken;
      },
      end: () => end,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
