import type { Worker } from 'node:cluster';

/** A connection on its way to a worker. */
interface Handle {
  readonly close: () => void;
}

/** What of the process of a worker `node:cluster` sends by and hears. */
interface WorkerChannel {
  send: (message: unknown, handle?: Handle, ...more: readonly unknown[]) => boolean;
  readonly on: (event: 'internalMessage', listener: (message: { ack?: number }) => void) => unknown;
  readonly once: (event: 'exit', listener: () => void) => unknown;
}

/**
 * Closes connections that were given to a worker which ended before it had them. `node:cluster` keeps them open in the primary, and their clients would wait until they give
 * up. Where Node.js changes how it gives connections away, this does nothing.
 */
export function closingLostConnections(worker: Worker): Worker {
  const channel = worker.process as unknown as WorkerChannel;
  const given = new Map<number, Handle>();
  const send = channel.send.bind(channel);
  channel.send = (message, handle, ...more) => {
    const { act, seq } = message as { act?: string; seq?: number };
    if (act === 'newconn' && seq !== undefined && handle !== undefined) given.set(seq, handle);
    return send(message, handle, ...more);
  };
  channel.on('internalMessage', ({ ack }) => {
    if (ack !== undefined) given.delete(ack);
  });
  channel.once('exit', () => {
    for (const handle of given.values()) handle.close();
    given.clear();
  });
  return worker;
}
