import type { App } from '../app.ts';
import { LAST_LINES, logTaken } from '../server/http/log-output.ts';
import type { Channel } from '../server/workers/messages.ts';

/** A terminal's Ctrl+C reaches the process twice under npm, which passes it on: that is one signal, in milliseconds. */
const SAME_SIGNAL = 300;

/** How long statements in flight are given to be cancelled on the engine when the process ends all the same, in milliseconds. */
export const CANCELLING = 1000;

/** The first signal begins the end; a second one breaks it off. */
export function onSignals(stop: (signal: NodeJS.Signals) => void, breakOff: () => void): void {
  let since: number | null = null;
  const hear = (signal: NodeJS.Signals): void => {
    if (since === null) {
      since = performance.now();
      stop(signal);
    } else if (performance.now() - since > SAME_SIGNAL) {
      breakOff();
    }
  };
  process.on('SIGINT', hear);
  process.on('SIGTERM', hear);
}

/**
 * The first signal finishes what is in flight; when that takes too long, or a second one comes, it is broken off. A worker is told of signals by the primary as
 * well, as they may have come to that alone.
 */
export function stopOnSignal(app: App, seconds: number, channel: Channel | null): void {
  let isStopping = false;
  let isBrokenOff = false;
  // Whose client has gone has its statement cancelled: the engine would go on with it for nobody.
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
    // All is done by then: that nobody reads of it is not a failure.
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
      (error: unknown) => {
        app.server.log.error({ err: error }, 'stopping failed');
        return leave(true);
      },
    );
  };
  onSignals(stop, breakOff);
  channel?.hear((message) => {
    if (message.kind === 'stop') stop(message.signal);
    else if (message.kind === 'breakOff') breakOff();
  });
}
