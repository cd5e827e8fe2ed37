import { watch, type FSWatcher } from 'node:fs';
import type { Server } from 'node:https';

/** A certificate with its key, and how they are spoken with. */
export interface TlsPair {
  /** In PEM form, those of the authorities between behind it. */
  readonly cert: string;
  readonly key: string;
  readonly passphrase?: string;
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
}

/** What TLS is served with. */
export interface TlsSettings {
  /** What is served at first. */
  readonly pair: TlsPair;
  /** The folders in which its files lie: a change in one is looked at. */
  readonly folders: readonly string[];
  /** Reads the pair anew. @throws Error with what is wrong with it */
  readonly read: () => Promise<{ readonly pair: TlsPair; readonly warnings: readonly string[] }>;
}

/** The part of a logger that news of certificates is written to. */
interface Log {
  readonly info: (message: string) => void;
  readonly warn: (message: string) => void;
  readonly error: (message: string) => void;
}

/** How long clients may take to agree on TLS, in milliseconds. */
export const HANDSHAKE_TIMEOUT = 10_000;

/** When files are looked at, in milliseconds. */
export interface TlsTiming {
  /** After a change: certificate and key are replaced one after the other. */
  readonly settling: number;
  /** In any case, where the operating system tells of no change: network file systems, folders that are replaced themselves. */
  readonly polling: number;
}

/**
 * Serves new connections with the pair that the files hold, as soon as they hold another one. One that cannot be used changes
 * nothing; the log says so once. Connections that are open stay as they are.
 * @returns ends it
 */
export function keepTlsFresh(
  server: Pick<Server, 'setSecureContext'>,
  { pair, folders, read }: TlsSettings,
  log: Log,
  { settling, polling }: TlsTiming = { settling: 1000, polling: 60_000 },
): () => void {
  let served = textOf(pair);
  let suspected: string | null = null;
  let told: string | null = null;
  let settled: NodeJS.Timeout | null = null;
  let work = Promise.resolve();
  let isEnded = false;

  const look = async (): Promise<void> => {
    try {
      const { pair: found, warnings } = await read();
      if (isEnded) return;
      if (textOf(found) !== served) {
        server.setSecureContext(found);
        served = textOf(found);
        log.info('new connections are served with the new certificate');
        for (const warning of warnings) log.warn(warning);
      }
      suspected = null;
      told = null;
    } catch (error) {
      if (isEnded) return;
      const { message } = error as Error;
      // One file may have been replaced, and the other one not yet.
      if (message !== suspected) {
        suspected = message;
        lookSoon();
      } else if (message !== told) {
        told = message;
        log.error(
          `the certificate or its key cannot be used, and the old ones are kept: ${message}`,
        );
      }
    }
  };
  const enqueue = (): void => {
    work = work.then(look);
  };
  const lookSoon = (): void => {
    settled ??= setTimeout(() => {
      settled = null;
      enqueue();
    }, settling).unref();
  };

  const watchers = folders.flatMap((folder) => watched(folder, lookSoon));
  const poll = setInterval(enqueue, polling).unref();
  return () => {
    isEnded = true;
    clearInterval(poll);
    if (settled !== null) clearTimeout(settled);
    for (const watcher of watchers) watcher.close();
  };
}

function textOf({ cert, key }: TlsPair): string {
  return JSON.stringify([cert, key]);
}

/** A folder that cannot be watched, or not any more, is left to be looked at now and then. */
function watched(folder: string, onChange: () => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}
