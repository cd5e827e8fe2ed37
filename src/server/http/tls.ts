import type { Server } from 'node:https';
import type { TlsFiles } from '../../config/secrets/tls-files.ts';
import { watched } from '../reload/watch.ts';

export interface TlsSettings {
  /** The first one. */
  readonly pair: TlsFiles['pair'];
  readonly folders: readonly string[];
  /** Reads the files again. @throws Error with what is wrong with them */
  readonly read: () => Promise<TlsFiles>;
}

/** How long clients may take for the TLS handshake, in milliseconds. */
export const HANDSHAKE_TIMEOUT = 10_000;

/** When files are read again, in milliseconds: some time after a change, so that both can be replaced, and in any case, as changes may go unreported. */
const TIMING = { settling: 1000, polling: 60_000 };

/** Serves new connections with a changed certificate, until the returned function is called. An unusable one changes nothing, and is logged once. */
export function keepTlsFresh(
  server: Pick<Server, 'setSecureContext'>,
  { pair, folders, read }: TlsSettings,
  log: Readonly<Record<'info' | 'warn' | 'error', (message: string) => void>>,
  { settling, polling } = TIMING,
): () => void {
  let served = textOf(pair);
  let suspected: string | null = null;
  let logged: string | null = null;
  let settled: NodeJS.Timeout | null = null;
  let work = Promise.resolve();
  let isEnded = false;

  const check = async (): Promise<void> => {
    try {
      const { pair: found, warnings } = await read();
      if (isEnded) return;
      if (textOf(found) !== served) {
        server.setSecureContext(found);
        served = textOf(found);
        log.info('using the new certificate for new connections');
        for (const warning of warnings) log.warn(warning);
      }
      suspected = null;
      logged = null;
    } catch (error) {
      if (isEnded) return;
      const { message } = error as Error;
      // Perhaps only one of the files has been replaced so far.
      if (message !== suspected) {
        suspected = message;
        checkSoon();
      } else if (message !== logged) {
        logged = message;
        log.error(`the new certificate or key cannot be used; keeping the old ones: ${message}`);
      }
    }
  };
  const enqueue = (): void => {
    work = work.then(check);
  };
  const checkSoon = (): void => {
    settled ??= setTimeout(() => {
      settled = null;
      enqueue();
    }, settling).unref();
  };

  // One that cannot be watched is left to polling.
  const watchers = folders.map((folder) => watched(folder, () => undefined, checkSoon));
  const poll = setInterval(enqueue, polling).unref();
  return () => {
    isEnded = true;
    clearInterval(poll);
    if (settled !== null) clearTimeout(settled);
    for (const watcher of watchers) watcher?.close();
  };
}

function textOf({ cert, key }: TlsFiles['pair']): string {
  return JSON.stringify([cert, key]);
}
