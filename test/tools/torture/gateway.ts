import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runGateway } from '../../integration/gateway-process.ts';

/** What the gateway's process says of itself; see probe.js. */
export interface Reading {
  /** The longest that the event loop was held since the last reading, in milliseconds, without what the thread waited for a core. */
  readonly held: number;
  /** Bytes that are resident now, and the most since the last reading. */
  readonly rss: number;
  readonly peak: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly arrayBuffers: number;
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
  const folder = await mkdtemp(join(tmpdir(), 'entitygate-torture-'));
  const config = join(folder, 'config.yaml');
  const settings = {
    server: { port: 0, shutdownSeconds: 5 },
    log: { level: 'error' },
    mappings: `${process.cwd()}/mappings`,
    ignoreCase: true,
    mcp: { enabled: true, write: true, maxRequestBytes: MOST_MESSAGE },
    database: withWholePath(database),
  };
  await writeFile(config, JSON.stringify(settings));
  const { child, serving, ended } = runGateway(['serve', '--config', config], {}, PROBE);
  let end: string | null = null;
  let log = '';
  let count = 0;
  const waiting = new Map<number, (reading: Reading) => void>();
  child.stdout?.on('data', (chunk: Buffer) => {
    log += chunk.toString('utf8');
  });
  child.on('message', (message: Reading & { readonly id: number }) => {
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  void ended.then(({ code, stderr }) => {
    end = `exit code ${code ?? 'none'}: ${stderr.slice(-2000)}`;
  });
  const ask = (what: string): Promise<Reading> => {
    if (end !== null) return Promise.reject(new Error(`the gateway has ended: ${end}`));
    count += 1;
    const id = count;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`the gateway's process has said nothing for ${ANSWER_TIME} ms`));
      }, ANSWER_TIME);
      waiting.set(id, (reading) => {
        clearTimeout(timer);
        resolve(reading);
      });
      child.send({ ask: what, id });
    });
  };
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const last = setTimeout(() => child.kill('SIGKILL'), STOP_TIME);
    await ended;
    clearTimeout(last);
    await rm(folder, { recursive: true, force: true });
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

/** Relative to the configuration's folder is not where the seed is. */
function withWholePath(
  database: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { seed } = database;
  return typeof seed === 'string' ? { ...database, seed: resolve(seed) } : database;
}
