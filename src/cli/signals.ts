import { isatty } from 'node:tty';
import type { App } from '../app.ts';
import { LAST_LINES, logTaken } from '../server/http/log-output.ts';
import type { Channel } from '../server/workers/messages.ts';

/** Signals within this time count as one, in milliseconds: npm passes a terminal's Ctrl+C on, so that it comes twice. */
const SAME_SIGNAL = 300;

/** How long statements in flight may take to be cancelled before the process ends, in milliseconds. */
export const CANCELLING = 1000;

/** Calls `stop` at the first signal, and `breakOff` at later ones. */
export function onSignals(stop: (signal: NodeJS.Signals) => void, breakOff: () => void): void {
  let since: number | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (since === null) {
      since = performance.now();
      stop(signal);
    } else if (performance.now() - since > SAME_SIGNAL) {
      breakOff();
    }
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
}

/**
 * Finishes the requests in flight at the first signal, and breaks them off when that takes too long or a second signal comes.
 * A worker hears of signals from the primary as well, which may have got them alone.
 */
export function stopOnSignal(app: App, seconds: number, channel: Channel | null): void {
  let isStopping = false;
  let isBrokenOff = false;
  // Closed connections cancel their statements, which the engine would go on with.
  const breakOff = (): void => {
    isBrokenOff = true;
    app.server.server.closeAllConnections();
    void logTaken(CANCELLING);
    setTimeout(() => process.exit(1), CANCELLING);
  };
  const stop = (signal: NodeJS.Signals): void => {
    if (isStopping) return;
    isStopping = true;
    app.server.log.info({ signal }, 'stopping');
    const tooLong = setTimeout(() => {
      app.server.log.error('requests in flight took too long');
      breakOff();
    }, seconds * 1000).unref();
    // A log that cannot be written any more is not a failure.
    const leave = async (isFailed: boolean): Promise<void> => {
      clearTimeout(tooLong);
      await logTaken(LAST_LINES);
      process.exit(isFailed || isBrokenOff ? 1 : 0);
    };
    app.close().then(
      () => {
        app.server.log.info('stopped');
        return leave(false);
      },
      (err: unknown) => {
        app.server.log.error({ err }, 'stopping failed');
        return leave(true);
      },
    );
  };
  onSignals(stop, breakOff);
  channel?.onMessage((message) => {
    if (message.kind === 'stop') stop(message.signal);
    else if (message.kind === 'breakOff') breakOff();
  });
}

const STREAMS = [0, 1, 2];

/** The answer of a process to SIGHUP. */
export interface HangUps {
  /** Calls `reload` on each signal from now on, and now where one came before. */
  readonly begin: (reload: () => unknown) => void;
}

/**
 * Listens for SIGHUP from now on, so that the signal does not end the process before it serves. A terminal that was closed sends the signal, too: then
 * the process ends as on SIGTERM. Programs tell the two apart by the terminal, which is none any more.
 */
export function hearHangUps(
  terminals: readonly number[] = STREAMS.filter((fd) => isatty(fd)),
  isTerminal: (fd: number) => boolean = isatty,
  end: () => void = () => process.kill(process.pid, 'SIGTERM'),
): HangUps {
  let reload: (() => unknown) | null = null;
  let isPending = false;
  process.on('SIGHUP', () => {
    const isClosed = terminals.some((fd) => !isTerminal(fd));
    if (isClosed) end();
    else if (reload === null) isPending = true;
    else reload();
  });
  return {
    begin: (work) => {
      reload = work;
      if (isPending) work();
    },
  };
}
